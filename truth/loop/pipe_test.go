package loop

import (
	"context"
	"net"
	"sync"
	"time"
)

// pipes connects caller and callee without a socket, so that time can be faked.
// Replies are on their way for delay.
func pipes(delay time.Duration) connector {
	return func(context.Context) (network, error) {
		p := &pipe{connections: make(chan net.Conn), closed: make(chan struct{}), delay: delay}
		return network{p, p.dial}, nil
	}
}

// pipe is a listener.
type pipe struct {
	connections chan net.Conn
	closed      chan struct{}
	closing     sync.Once
	delay       time.Duration
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return nil
}

func (p *pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.connections <- slowWriter{there, p.delay}:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type slowWriter struct {
	net.Conn
	delay time.Duration
}

func (s slowWriter) Write(b []byte) (int, error) {
	time.Sleep(s.delay)
	return s.Conn.Write(b)
}
