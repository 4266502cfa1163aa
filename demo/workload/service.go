package workload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// closeLimit is how long a service may take to answer what it has begun.
const closeLimit = 2 * time.Second

// service is one of the processes of a real system: it serves its metrics, and
// its callers when it has any.
type service struct {
	name     string
	address  string // host:port
	registry *prometheus.Registry
	mux      *http.ServeMux
	server   *http.Server
	served   chan error
}

// newService opens a free port on the loopback interface.
func newService(ctx context.Context, name string) (*service, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	s := &service{
		name: name, address: listener.Addr().String(),
		registry: prometheus.NewRegistry(), mux: http.NewServeMux(), served: make(chan error, 1),
	}
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}))
	s.server = &http.Server{Handler: s.mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// stop ends the service. Its handlers have been told to end.
func (s *service) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
	if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving %s: %w", s.name, err)
	}
	return nil
}
