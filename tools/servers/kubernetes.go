package servers

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// KubernetesOptions say how to start an API server.
type KubernetesOptions struct {
	// Dir holds keys, certificates, etcd's data and the kubeconfig. Required,
	// made if missing.
	Dir string
	// Flags are added to those of kube-apiserver, as --name=value, and win.
	Flags []string
	// Log receives the logs of both servers. Nil: only the end is kept.
	Log io.Writer
}

// Kubernetes is a running API server and its etcd. It checks and stores objects
// as a cluster does, and nothing acts on them: no controller makes pods, and no
// node runs them.
type Kubernetes struct {
	// Kubeconfig is a file for kubectl and helm. Its user may do everything.
	Kubeconfig string

	etcd, api *Process
}

// adminToken is of the one user, on loopback, for as long as a test runs.
const adminToken = "admin"

// StartKubernetes starts etcd and kube-apiserver, after building them if need
// be (minutes), and returns when the API is ready. ctx bounds the start alone:
// the servers run until Stop.
func StartKubernetes(ctx context.Context, o KubernetesOptions) (*Kubernetes, error) {
	if o.Dir == "" {
		return nil, fmt.Errorf("starting Kubernetes: no directory given")
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("starting Kubernetes: %w", err)
	}
	etcd, err := startEtcd(ctx, o)
	if err != nil {
		return nil, err
	}
	k := &Kubernetes{Kubeconfig: filepath.Join(o.Dir, "kubeconfig"), etcd: etcd}
	if k.api, err = startAPIServer(ctx, o, etcd.URL); err == nil {
		err = os.WriteFile(k.Kubeconfig, []byte(kubeconfig(k.api.URL)), 0o600)
	}
	if err != nil {
		k.Stop()
		return nil, err
	}
	return k, nil
}

// Stop ends both servers. More calls do no harm.
func (k *Kubernetes) Stop() {
	if k.api != nil {
		k.api.Stop()
	}
	k.etcd.Stop()
}

// Kubectl runs kubectl against the server and returns what it printed on
// standard output. A failure's error has all that it printed.
func (k *Kubernetes) Kubectl(ctx context.Context, args ...string) ([]byte, error) {
	return runTool(ctx, "kubectl", append([]string{"--kubeconfig=" + k.Kubeconfig}, args...))
}

// Helm is Kubectl for helm.
func (k *Kubernetes) Helm(ctx context.Context, args ...string) ([]byte, error) {
	return runTool(ctx, "helm", append([]string{"--kubeconfig=" + k.Kubeconfig}, args...))
}

func startEtcd(ctx context.Context, o KubernetesOptions) (*Process, error) {
	binary, err := Binary(ctx, "etcd")
	if err != nil {
		return nil, err
	}
	client, err := freeAddress(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting etcd: %w", err)
	}
	return start(ctx, launch{
		name:   "etcd",
		binary: binary,
		args: []string{
			"--data-dir=" + filepath.Join(o.Dir, "etcd"),
			"--listen-client-urls=http://" + client,
			"--advertise-client-urls=http://" + client,
			"--listen-peer-urls=http://127.0.0.1:0",
			"--unsafe-no-fsync",
			"--log-level=warn",
		},
		log:   o.Log,
		url:   "http://" + client,
		ready: "/readyz",
	})
}

func startAPIServer(ctx context.Context, o KubernetesOptions, etcd string) (*Process, error) {
	binary, err := Binary(ctx, "kube-apiserver")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting kube-apiserver: %w", err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("starting kube-apiserver: %w", err)
	}
	key, tokens := filepath.Join(o.Dir, "accounts.pem"), filepath.Join(o.Dir, "tokens.csv")
	if err := writeKey(key); err != nil {
		return nil, fmt.Errorf("starting kube-apiserver: %w", err)
	}
	if err := os.WriteFile(tokens, []byte(adminToken+",admin,admin,system:masters\n"), 0o600); err != nil {
		return nil, fmt.Errorf("starting kube-apiserver: %w", err)
	}
	return start(ctx, launch{
		name:   "kube-apiserver",
		binary: binary,
		args: withDefaults(o.Flags, []string{
			"--etcd-servers=" + etcd,
			"--bind-address=127.0.0.1",
			"--advertise-address=127.0.0.1",
			"--endpoint-reconciler-type=none", // it refuses to publish a loopback address
			"--secure-port=" + port,
			"--cert-dir=" + filepath.Join(o.Dir, "certificates"),
			"--service-cluster-ip-range=10.0.0.0/24",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + key,
			"--service-account-signing-key-file=" + key,
			"--token-auth-file=" + tokens,
			"--authorization-mode=RBAC",
		}),
		log:   o.Log,
		url:   "https://" + address,
		ready: "/readyz",
		client: &http.Client{Timeout: askTimeout, Transport: &http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it signs its own, at its start
		}},
	})
}

// freeAddress returns a loopback address that nobody listens on. These servers
// want to be told their port, so another process may be faster.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// writeKey writes a new key that service accounts' tokens are signed with.
func writeKey(file string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

func kubeconfig(url string) string {
	return `apiVersion: v1
kind: Config
clusters:
  - name: test
    cluster: {server: ` + strconv.Quote(url) + `, insecure-skip-tls-verify: true}
users:
  - name: admin
    user: {token: ` + adminToken + `}
contexts:
  - name: test
    context: {cluster: test, user: admin}
current-context: test
`
}
