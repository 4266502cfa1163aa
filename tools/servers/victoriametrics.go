package servers

import (
	"context"
	"errors"
	"io"
	"path/filepath"
)

// VictoriaMetricsOptions say how to start a single-node VictoriaMetrics.
type VictoriaMetricsOptions struct {
	// Dir holds data. Required, made if missing.
	Dir string
	// Flags are added to the defaults, as -name=value, and win over them. The
	// defaults are a free port on 127.0.0.1, ten years' retention, and answers
	// that include the newest samples.
	Flags []string
	// Log receives the server's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// StartVictoriaMetrics starts VictoriaMetrics, after building it if need be, and
// returns when it is ready. ctx bounds the start alone: the server runs until
// Stop.
func StartVictoriaMetrics(ctx context.Context, o VictoriaMetricsOptions) (*Process, error) {
	if o.Dir == "" {
		return nil, errors.New("starting victoria-metrics: no directory given")
	}
	binary, err := Binary(ctx, "victoria-metrics")
	if err != nil {
		return nil, err
	}
	return start(ctx, launch{
		name:   "victoria-metrics",
		binary: binary,
		args: withDefaults(o.Flags, []string{
			"-storageDataPath=" + filepath.Join(o.Dir, "data"),
			"-httpListenAddr=127.0.0.1:0",
			"-retentionPeriod=10y",
			"-search.latencyOffset=0s",
		}),
		log: o.Log,
	})
}
