package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
)

// ThanosSidecarOptions say how to start a Thanos sidecar.
type ThanosSidecarOptions struct {
	// Prometheus is where the data is. Its configuration must set
	// external_labels, and its blocks must not be compacted: start it with equal
	// --storage.tsdb.min-block-duration and --storage.tsdb.max-block-duration.
	Prometheus *Process
	// Log receives the sidecar's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// Store is a running sidecar or ruler.
type Store struct {
	*Process
	Endpoint string // where its StoreAPI listens, HOST:PORT
}

// StartThanosSidecar starts a sidecar beside a Prometheus, after building it if
// need be, and returns when it is ready. ctx bounds the start alone.
func StartThanosSidecar(ctx context.Context, o ThanosSidecarOptions) (*Store, error) {
	endpoint, err := FreeAddress(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting thanos sidecar: %w", err)
	}
	p, err := startThanos(ctx, o.Log, "sidecar", "--prometheus.url="+o.Prometheus.URL, "--grpc-address="+endpoint)
	if err != nil {
		return nil, err
	}
	return &Store{Process: p, Endpoint: endpoint}, nil
}

// ThanosQueryOptions say how to start a Thanos Query.
type ThanosQueryOptions struct {
	// Endpoints are the StoreAPIs it asks, HOST:PORT each.
	Endpoints []string
	// Flags are added to the defaults, as --name=value.
	Flags []string
	// Log receives the server's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// StartThanosQuery starts Thanos Query, after building it if need be, and
// returns when it is ready, which it is before it has found its stores. ctx
// bounds the start alone.
func StartThanosQuery(ctx context.Context, o ThanosQueryOptions) (*Process, error) {
	args := append([]string{"query", "--grpc-address=127.0.0.1:0"}, o.Flags...)
	for _, endpoint := range o.Endpoints {
		args = append(args, "--endpoint="+endpoint)
	}
	return startThanos(ctx, o.Log, args...)
}

// ThanosRuleOptions say how to start a Thanos Rule.
type ThanosRuleOptions struct {
	// Dir holds data. Required, made if missing.
	Dir string
	// Endpoint is where its StoreAPI shall listen, HOST:PORT. A Query that knows
	// it reads what was just recorded. See FreeAddress.
	Endpoint string
	// Query is the URL of what evaluates the rules.
	Query string
	// Flags are added to the defaults, as --name=value, such as --rule-file.
	Flags []string
	// Log receives the server's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// StartThanosRule starts a ruler, after building it if need be, and returns when
// it is ready. ctx bounds the start alone.
func StartThanosRule(ctx context.Context, o ThanosRuleOptions) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("starting thanos rule: no directory given")
	}
	args := append([]string{
		"rule", "--data-dir=" + o.Dir, "--grpc-address=" + o.Endpoint, "--query=" + o.Query, `--label=ruler="a"`,
	}, o.Flags...)
	p, err := startThanos(ctx, o.Log, args...)
	if err != nil {
		return nil, err
	}
	return &Store{Process: p, Endpoint: o.Endpoint}, nil
}

func startThanos(ctx context.Context, log io.Writer, args ...string) (*Process, error) {
	binary, err := Binary(ctx, "thanos")
	if err != nil {
		return nil, err
	}
	return start(ctx, launch{
		name:   "thanos " + args[0],
		binary: binary,
		args:   append(args, "--http-address=127.0.0.1:0"),
		log:    log,
	})
}

// FreeAddress finds a free port. Somebody else may take it before the server
// does, which then fails to start: Thanos does not say on which port its
// StoreAPI listens, so it cannot choose one itself.
func FreeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
