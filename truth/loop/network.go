package loop

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// mostCallers is the most calls of one policy that are made at the same time.
const mostCallers = 80

// connector opens a way between caller and callee. Tests have one without
// sockets.
type connector func(ctx context.Context) (network, error)

// network is where a callee listens and how its caller gets there.
type network struct {
	net.Listener
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// loopback listens on a free port of this machine.
func loopback(ctx context.Context) (network, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	return network{listener, (&net.Dialer{}).DialContext}, err
}

// url is where the callee is found.
func (n network) url() string { return "http://" + n.Addr().String() + "/" }

// client returns a client without a timeout of its own, as every attempt brings
// one. It keeps all connections, so that few attempts have to connect first.
func (n network) client() *http.Client {
	return &http.Client{
		// No proxy: callees are on this machine, whatever the environment says.
		Transport: &http.Transport{DialContext: n.dial, MaxIdleConnsPerHost: 2 * mostCallers},
	}
}

// serve answers with handler until the returned stop is called, which waits for
// the attempts that the caller has given up on.
func (n network) serve(handler http.Handler) (stop func() error) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(n.Listener) }()
	return func() error {
		within, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := server.Shutdown(within)
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
}
