package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
)

// Options are what the endpoints show and may do.
type Options struct {
	Report  func() *report.Report // nil before the first cycle has ended
	Reload  func() error
	Refused func() error // why the newest configuration is not in force; nil: it is
	Ready   func() bool
	Metrics http.Handler
	Now     func() time.Time
	Logger  *slog.Logger
	Version string

	RoutePrefix     string // "" or "/x": before every path that is served
	LinkPrefix      string // the same as browsers see it, where a proxy changes it
	EnableLifecycle bool   // POST /-/reload
	EnablePprof     bool   // /debug/pprof/

	PrometheusURL func() string // for links; nil or "": there are none
	Runbooks      string        // URL before the name of a rule's page

	// History asks how a dependency's figures went. It may take until ctx ends;
	// nil: pages have no history.
	History func(ctx context.Context, q HistoryQuestion) (History, error)

	// Backtest judges how a dependency's timeout held in the past, and how others
	// would have. It may take until ctx ends, and is asked only by those who follow
	// the page's link to it; nil: pages have no such section.
	Backtest func(ctx context.Context, dependency string) (*report.Backtests, error)
}

// NewHandler returns the daemon's whole HTTP interface.
func NewHandler(o Options) http.Handler {
	mux := http.NewServeMux()
	prefix := strings.TrimSuffix(o.RoutePrefix, "/")
	route := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+prefix+path, h)
	}
	s := newSite(o)
	route("GET /{$}", s.overview)
	route("GET /dependencies/{name...}", s.dependency)
	route("GET /chains/{name...}", s.chain)
	route("GET /calc", s.calculators)
	route("GET /assets/{file}", s.asset)
	route("GET /metrics", o.Metrics.ServeHTTP)
	route("GET /api/v1/report", o.report)
	route("GET /-/healthy", o.healthy)
	route("GET /-/ready", o.ready)
	route("POST /-/reload", o.reload)
	if o.EnablePprof {
		route("GET /debug/pprof/", pprof.Index)
		route("GET /debug/pprof/cmdline", pprof.Cmdline)
		route("GET /debug/pprof/profile", pprof.Profile)
		route("GET /debug/pprof/symbol", pprof.Symbol)
		route("GET /debug/pprof/trace", pprof.Trace)
	}
	if prefix != "" {
		mux.Handle("GET /{$}", http.RedirectHandler(s.links.prefix+"/", http.StatusFound))
	}
	return secured(mux)
}

// secured sets the headers that pages without inline scripts, inline styles and
// foreign content can afford.
func secured(next http.Handler) http.Handler {
	const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
