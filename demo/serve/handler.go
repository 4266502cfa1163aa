package main

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/timeout-auditor/timeout-auditor/demo/workload"
)

// group is one entry of Prometheus's HTTP service discovery.
type group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// handler serves the metrics of every target and the list of them.
func handler(targets []workload.Target) http.Handler {
	mux := http.NewServeMux()
	for _, t := range targets {
		service := &url.URL{Scheme: "http", Host: t.Address}
		mux.Handle("GET /metrics/"+t.Job, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(service)
			r.Out.URL.Path = "/metrics"
		}})
	}
	mux.HandleFunc("GET /targets", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// The host is the one under which the asker reaches this program.
		_ = json.NewEncoder(w).Encode(groups(targets, r.Host)) // the asker has gone, and asks again
	})
	return mux
}

func groups(targets []workload.Target, host string) []group {
	all := make([]group, len(targets))
	for i, t := range targets {
		all[i] = group{
			Targets: []string{host},
			Labels:  map[string]string{"job": t.Job, "instance": t.Job, "__metrics_path__": "/metrics/" + t.Job},
		}
	}
	return all
}
