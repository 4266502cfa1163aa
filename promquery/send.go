package promquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// sender sends queries, a bounded number at once and each with a deadline.
type sender struct {
	api     v1.API
	http    *http.Client
	base    *url.URL
	server  string // its URL, without what must not be shown
	timeout time.Duration
	slots   chan struct{}
	onQuery func(Outcome, time.Duration)
	maxSize int64
}

func newSender(opts Options) (*sender, error) {
	base, err := url.Parse(opts.Prometheus.URL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("prometheus.url must be an http or https URL")
	}
	client, err := promconfig.NewClientFromConfig(
		opts.Prometheus.HTTPClient, "prometheus", promconfig.WithUserAgent(opts.UserAgent))
	if err != nil {
		return nil, fmt.Errorf("building the HTTP client for %s: %w", plainURL(base), err)
	}
	s := &sender{
		http: client, base: base,
		server:  plainURL(base),
		timeout: opts.Prometheus.QueryTimeout,
		slots:   make(chan struct{}, max(1, opts.Prometheus.MaxConcurrentQueries)),
		onQuery: opts.OnQuery,
		maxSize: opts.MaxReplyBytes,
	}
	if s.maxSize <= 0 {
		s.maxSize = DefaultMaxReplyBytes
	}
	if s.timeout <= 0 {
		s.timeout = 30 * time.Second
	}
	if s.onQuery == nil {
		s.onQuery = func(Outcome, time.Duration) {}
	}
	if client.CheckRedirect == nil {
		client.CheckRedirect = checkRedirect
	}
	client.Transport = &boundedTransport{next: client.Transport, max: s.maxSize}
	if s.api, err = newAPI(base.String(), client); err != nil {
		return nil, err
	}
	return s, nil
}

func newAPI(address string, client *http.Client) (v1.API, error) {
	c, err := api.NewClient(api.Config{Address: address, Client: client})
	if err != nil {
		return nil, fmt.Errorf("building the API client: %w", err)
	}
	return v1.NewAPI(c), nil
}

// reply is an answer and what the server remarked about it.
type reply struct {
	value answer
	notes []string
}

// exchange waits for a free slot, then makes one request under the query
// timeout and says what became of it.
func (s *sender) exchange(ctx context.Context, q latency.Query, request func(context.Context) error) *Error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return gaveUp(ctx, q)
	}
	if ctx.Err() != nil {
		return gaveUp(ctx, q)
	}
	start := time.Now()
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	traced, ex := withExchange(bounded)
	err := request(traced)
	if err == nil {
		s.onQuery(OutcomeSuccess, time.Since(start))
		return nil
	}
	f := failure{sender: s, exchange: ex, err: withoutURL(err), caller: context.Cause(ctx), deadline: bounded.Err()}
	outcome, message := f.explain()
	s.onQuery(outcome, time.Since(start))
	return &Error{
		Kind: Kind(outcome), Query: q, Message: q.Purpose + " query: " + message, Err: f.err,
		noConnection: outcome == OutcomeUnreachable && f.deadline != nil,
		status:       int(ex.status.Load()), retryAfter: time.Duration(ex.retryAfter.Load()),
	}
}

// gaveUp is the error of a query that was not sent, because the caller's
// context ended first.
func gaveUp(ctx context.Context, q latency.Query) *Error {
	e := &Error{Kind: KindCanceled, Query: q, Err: ctx.Err()}
	message := "the audit was stopped"
	var cause *Error
	switch {
	case errors.As(context.Cause(ctx), &cause):
		e.Kind, e.Err = cause.Kind, cause
		message = "earlier queries waited in vain: " + cause.Message
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind = KindTimeout
		message = "the time for the whole cycle ran out; raise prometheus.max_concurrent_queries, run less often, or find out why queries are slow"
	}
	e.Message = fmt.Sprintf("%s query: not sent: %s", q.Purpose, message)
	return e
}
