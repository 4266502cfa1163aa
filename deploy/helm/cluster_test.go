//go:build deploy

package helm_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// namespace admits only pods that ask for no privilege at all.
const namespace = `apiVersion: v1
kind: Namespace
metadata:
  name: monitoring
  labels: {pod-security.kubernetes.io/enforce: restricted}
`

// start starts an API server with the namespace, and the operator's resources
// if asked for.
func start(t *testing.T, operator bool) *servers.Kubernetes {
	t.Helper()
	k, err := servers.StartKubernetes(t.Context(), servers.KubernetesOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	apply(t, k, write(t, "namespace.yaml", namespace))
	if operator {
		apply(t, k, "testdata/crds/monitoring.coreos.com_servicemonitors.yaml")
		apply(t, k, "testdata/crds/monitoring.coreos.com_prometheusrules.yaml")
		kubectl(t, k, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	}
	return k
}

func apply(t *testing.T, k *servers.Kubernetes, file string, args ...string) {
	t.Helper()
	kubectl(t, k, append([]string{"apply", "--server-side", "-f", file}, args...)...)
}

func kubectl(t *testing.T, k *servers.Kubernetes, args ...string) string {
	t.Helper()
	out, err := k.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func helm(t *testing.T, k *servers.Kubernetes, args ...string) string {
	t.Helper()
	out, err := k.Helm(t.Context(), append([]string{"--namespace=monitoring"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestServerAcceptsAllThatTheChartMakes(t *testing.T) {
	k := start(t, true)
	for name, args := range map[string][]string{
		"default values": {"--set=prometheusOperator.enabled=true"},
		"full values":    {"--values=" + fullValues},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := template(t, append(args, "--no-hooks")...)
			if err != nil {
				t.Fatal(err)
			}
			apply(t, k, write(t, "all.yaml", objects), "--dry-run=server")
			apply(t, k, write(t, "all.yaml", objects))

			// The pod of helm test comes after all else: it needs the service account.
			test, err := template(t, append(args, "--show-only=templates/tests/check-config.yaml")...)
			if err != nil {
				t.Fatal(err)
			}
			apply(t, k, write(t, "test.yaml", test), "--dry-run=server")
		})
	}
}

func TestServerAcceptsThePlainManifests(t *testing.T) {
	k := start(t, true)
	files, err := os.ReadDir("../kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		apply(t, k, "../kubernetes/"+file.Name(), "--dry-run=server")
		apply(t, k, "../kubernetes/"+file.Name())
	}
	for _, kind := range []string{"deployment", "servicemonitor", "prometheusrule"} {
		kubectl(t, k, "-n", "monitoring", "get", kind, "timeout-auditor")
	}
}

// What the server would refuse must be refused here too, or the tests above say
// nothing.
func TestServerRefusesWhatIsWrong(t *testing.T) {
	k := start(t, true)
	for name, c := range map[string]struct {
		values, want string
	}{
		"a misspelt key of the ServiceMonitor": {"serviceMonitor: {endpoint: {intervall: 5s}}", "intervall"},
		"a wrong type in it":                   {"serviceMonitor: {endpoint: {honorLabels: 7}}", "honorLabels"},
		"a misspelt key of a rule":             {"prometheusRule: {file: '{groups: [{name: a, rules: [{alert: A, expression: up}]}]}'}", "expression"},
		"a misspelt resource":                  {"resources: {limit: {memory: 1Gi}}", "limit"},
		"requests above limits":                {"resources: {requests: {memory: 1Gi}}", "must be less than or equal to memory limit"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := template(t, "--set=prometheusOperator.enabled=true", "--values="+write(t, "values.yaml", c.values))
			if err != nil {
				t.Fatal(err)
			}
			_, err = k.Kubectl(t.Context(), "apply", "--server-side", "--dry-run=server", "-f", write(t, "all.yaml", text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A deployment is accepted whatever its pods ask for: only the pod itself meets
// Pod Security.
func TestRestrictedNamespaceAdmitsThePods(t *testing.T) {
	k := start(t, false)
	for name, args := range map[string][]string{"default values": nil, "full values": {"--values=" + fullValues}} {
		t.Run(name, func(t *testing.T) {
			all := render(t, args...)
			submit := func(o object) error {
				text, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				_, err = k.Kubectl(t.Context(), "create", "--dry-run=server", "-f", write(t, "object.json", string(text)))
				return err
			}
			account, err := json.Marshal(all.only(t, "ServiceAccount"))
			if err != nil {
				t.Fatal(err)
			}
			apply(t, k, write(t, "account.json", string(account)))
			metadata := map[string]any{"name": "auditor", "namespace": "monitoring"}
			daemon := object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": map[string]any(pod(t, all))}
			if err := submit(daemon); err != nil {
				t.Error(err)
			}
			if err := submit(all.only(t, "Pod")); err != nil {
				t.Error(err)
			}
			container, _ := daemon.at("spec", "containers", 0).(map[string]any)
			delete(container, "securityContext")
			if err := submit(daemon); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
				t.Errorf("a pod that asks for more: %v", err)
			}
		})
	}
}

func TestReleaseIsInstalledUpgradedAndRemoved(t *testing.T) {
	k := start(t, true)
	said := helm(t, k, "install", "release", chart)
	for _, want := range []string{"helm test release", "kube-prometheus-stack then ignores", "still audits the auditor's own queries"} {
		if !strings.Contains(said, want) {
			t.Errorf("the notes have no %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "NOTHING WILL PAGE") {
		t.Errorf("the operator's resources went unseen:\n%s", said)
	}
	kubectl(t, k, "-n", "monitoring", "get", "servicemonitor,prometheusrule", "release-timeout-auditor")

	sum := func() string {
		return kubectl(t, k, "-n", "monitoring", "get", "deployment", "release-timeout-auditor",
			"-o", `jsonpath={.spec.template.metadata.annotations.checksum/config}`)
	}
	before := sum()
	helm(t, k, "upgrade", "release", chart, "--set-file=configFile=../../config.example.yaml", "--set=replicas=2,fullnameOverride=release-timeout-auditor")
	if after := sum(); before == "" || before == after {
		t.Errorf("the configuration changed and the pods do not: %q, %q", before, after)
	}
	stored := kubectl(t, k, "-n", "monitoring", "get", "configmap", "release-timeout-auditor", "-o", `jsonpath={.data.config\.yaml}`)
	if file, err := os.ReadFile("../../config.example.yaml"); err != nil || stored != string(file) {
		t.Errorf("stored is not the file, %v:\n%s", err, stored)
	}
	kubectl(t, k, "-n", "monitoring", "get", "poddisruptionbudget", "release-timeout-auditor")

	helm(t, k, "uninstall", "release")
	if left := kubectl(t, k, "-n", "monitoring", "get", "all,configmap,serviceaccount,servicemonitor,prometheusrule,networkpolicy,pdb", "-l", "app.kubernetes.io/instance=release", "-o", "name"); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}

// An alert that is not there must not look like one that does not fire.
func TestNotesSayWhereNothingPages(t *testing.T) {
	k := start(t, false)
	said := helm(t, k, "install", "release", chart)
	if !strings.Contains(said, "NOTHING WILL PAGE YET: the Prometheus operator's resources were not made") {
		t.Errorf("without the operator the notes are\n%s", said)
	}
	if _, err := k.Helm(t.Context(), "--namespace=monitoring", "upgrade", "release", chart, "--set=prometheusOperator.enabled=true"); err == nil {
		t.Error("resources that the cluster does not know were taken")
	}
}
