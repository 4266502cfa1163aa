package web

import (
	"fmt"
	"net/http"
)

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

func (o Options) healthy(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "timeout-auditor is healthy.")
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
