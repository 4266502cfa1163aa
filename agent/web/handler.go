package web

import (
	"fmt"
	"html/template"
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
	Ready   func() bool
	Metrics http.Handler
	Now     func() time.Time
	Logger  *slog.Logger
	Version string

	RoutePrefix     string // "" or "/x": before every path
	EnableLifecycle bool   // POST /-/reload
	EnablePprof     bool   // /debug/pprof/
}

// NewHandler returns the daemon's whole HTTP interface.
func NewHandler(o Options) http.Handler {
	mux := http.NewServeMux()
	prefix := strings.TrimSuffix(o.RoutePrefix, "/")
	route := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+prefix+path, h)
	}
	overview := template.Must(template.ParseFS(files, "overview.html"))
	route("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { o.overview(w, overview) })
	route("GET /metrics", o.Metrics.ServeHTTP)
	route("GET /api/v1/report", o.report)
	route("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "timeout-auditor is healthy.") })
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
		mux.Handle("GET /{$}", http.RedirectHandler(prefix+"/", http.StatusFound))
	}
	return secured(mux)
}

// secured sets the headers that a page without scripts or foreign content can
// afford.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

func (o Options) report(w http.ResponseWriter, _ *http.Request) {
	current := o.Report()
	if current == nil {
		http.Error(w, "the first audit cycle has not ended yet", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := current.WriteJSON(w); err != nil {
		o.Logger.Debug("Report not sent whole", "err", err)
	}
}

func (o Options) ready(w http.ResponseWriter, _ *http.Request) {
	if !o.Ready() {
		http.Error(w, "timeout-auditor is not ready.", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "timeout-auditor is ready.")
}

func (o Options) reload(w http.ResponseWriter, _ *http.Request) {
	if !o.EnableLifecycle {
		http.Error(w, "Lifecycle API is not enabled: start with --web.enable-lifecycle.", http.StatusForbidden)
		return
	}
	if err := o.Reload(); err != nil {
		http.Error(w, fmt.Sprintf("reload failed, the configuration before stays in force:\n%v", err), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "Configuration reloaded.")
}
