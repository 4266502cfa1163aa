package servers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// serverOptions are what the servers have in common.
type serverOptions struct {
	name       string
	dir        string
	config     string // its text
	configFile string // its name in dir
	flags      []string
	defaults   []string
	log        io.Writer
}

// startServer writes the configuration and starts the server on it.
func startServer(ctx context.Context, o serverOptions) (*Process, error) {
	if o.dir == "" {
		return nil, fmt.Errorf("starting %s: no directory given", o.name)
	}
	binary, err := Binary(ctx, o.name)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.name, err)
	}
	configFile := filepath.Join(o.dir, o.configFile)
	if err := os.WriteFile(configFile, []byte(o.config), 0o644); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.name, err)
	}
	return start(ctx, launch{
		name:       o.name,
		binary:     binary,
		args:       withDefaults(o.flags, append(o.defaults, "--config.file="+configFile)),
		configFile: configFile,
		log:        o.log,
	})
}
