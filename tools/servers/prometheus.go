package servers

import (
	"context"
	"io"
	"path/filepath"
)

// PrometheusOptions say how to start Prometheus.
type PrometheusOptions struct {
	// Dir holds prometheus.yml, which is written there, and data, where blocks
	// made before the start are found. Other files that the configuration
	// names are relative to Dir. Required, made if missing.
	Dir string
	// Config is the text of the configuration. Empty: all defaults, no targets.
	Config string
	// Flags are added to the defaults, as --name=value, and win over them. The
	// defaults are a free port on 127.0.0.1, ten years' retention (old blocks
	// stay) and --web.enable-lifecycle.
	Flags []string
	// Log receives the server's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// StartPrometheus starts Prometheus, after building it if need be, and returns
// when it is ready. ctx bounds the start alone: the server runs until Stop.
func StartPrometheus(ctx context.Context, o PrometheusOptions) (*Process, error) {
	return startServer(ctx, serverOptions{
		name:       "prometheus",
		dir:        o.Dir,
		config:     o.Config,
		configFile: "prometheus.yml",
		flags:      o.Flags,
		defaults: []string{
			"--storage.tsdb.path=" + filepath.Join(o.Dir, "data"),
			"--storage.tsdb.retention.time=10y",
			"--web.listen-address=127.0.0.1:0",
			"--web.enable-lifecycle",
		},
		log: o.Log,
	})
}
