package servers

import (
	"context"
	"io"
	"path/filepath"
)

// nowhere is a configuration of Alertmanager that notifies nobody.
const nowhere = `route:
  receiver: nowhere
receivers:
  - name: nowhere
`

// AlertmanagerOptions say how to start Alertmanager.
type AlertmanagerOptions struct {
	// Dir holds alertmanager.yml, which is written there, and data. Required,
	// made if missing.
	Dir string
	// Config is the text of the configuration. Empty: alerts are accepted and
	// nobody is notified.
	Config string
	// Flags are added to the defaults, as --name=value, and win over them. The
	// defaults are a free port on 127.0.0.1 and no cluster.
	Flags []string
	// Log receives the server's log. Nil: only the end is kept, see Process.Log.
	Log io.Writer
}

// StartAlertmanager starts Alertmanager, after building it if need be, and
// returns when it is ready. ctx bounds the start alone: the server runs until
// Stop. Start it before a Prometheus that sends to it, because Prometheus tries
// a failed send again only after most of a minute.
func StartAlertmanager(ctx context.Context, o AlertmanagerOptions) (*Process, error) {
	if o.Config == "" {
		o.Config = nowhere
	}
	return startServer(ctx, serverOptions{
		name:       "alertmanager",
		dir:        o.Dir,
		config:     o.Config,
		configFile: "alertmanager.yml",
		flags:      o.Flags,
		defaults: []string{
			"--storage.path=" + filepath.Join(o.Dir, "data"),
			"--web.listen-address=127.0.0.1:0",
			"--cluster.listen-address=",
		},
		log: o.Log,
	})
}
