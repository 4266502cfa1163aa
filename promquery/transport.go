package promquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// exchange is what the transport saw of one query, for the message about it.
type exchange struct {
	connected   atomic.Bool
	status      atomic.Int64
	contentType atomic.Value // string
	retryAfter  atomic.Int64 // a time.Duration
	tooLarge    atomic.Bool
}

type exchangeKey struct{}

// withExchange returns a context in which the transport notes what it sees.
func withExchange(ctx context.Context) (context.Context, *exchange) {
	ex := &exchange{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { ex.connected.Store(true) },
	})
	return context.WithValue(ctx, exchangeKey{}, ex), ex
}

func (ex *exchange) mediaType() string {
	kind, _ := ex.contentType.Load().(string)
	return kind
}

// errTooLarge ends the reading of a reply that exceeds its bound.
var errTooLarge = errors.New("the reply is too large")

// boundedTransport notes status and type of every reply and ends the reading
// of one that is too large.
type boundedTransport struct {
	next http.RoundTripper
	max  int64
}

func (t *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	ex, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if ex == nil {
		ex = &exchange{}
	}
	ex.status.Store(int64(resp.StatusCode))
	ex.contentType.Store(resp.Header.Get("Content-Type"))
	ex.retryAfter.Store(int64(retryAfter(resp.Header.Get("Retry-After"))))
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: t.max, exchange: ex}
	return resp, nil
}

// CloseIdleConnections is what http.Client asks of its transport.
func (t *boundedTransport) CloseIdleConnections() {
	if idle, able := t.next.(interface{ CloseIdleConnections() }); able {
		idle.CloseIdleConnections()
	}
}

type boundedBody struct {
	io.ReadCloser
	left     int64
	exchange *exchange
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one byte more tells a full reply from a longer one
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		b.exchange.tooLarge.Store(true)
		return int(b.left), errTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// maxRedirects is what Go's own client follows.
const maxRedirects = 10

// redirectError says that the server sent a query elsewhere and why it was not
// followed.
type redirectError struct {
	target string
	reason string
}

func (e *redirectError) Error() string {
	return fmt.Sprintf("redirected to %s: %s", e.target, e.reason)
}

// checkRedirect follows 307 and 308. The older codes turn a POST into a GET
// without the query: the answer would be a parse error or a login page.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return &redirectError{target: plainURL(req.URL), reason: fmt.Sprintf("gave up after %d redirects", len(via))}
	case via[0].Method == http.MethodPost && req.Method != http.MethodPost:
		return &redirectError{target: plainURL(req.URL), reason: "the redirect drops the query"}
	}
	return nil
}
