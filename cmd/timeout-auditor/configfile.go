package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// configFlag declares --config.file on a command.
func configFlag(command *kingpin.CmdClause) *string {
	return command.Flag("config.file", "Configuration file.").Default("config.yaml").String()
}

// loadConfig reads a configuration against the rules that exist.
func loadConfig(file string) (*config.Config, error) {
	return config.Load(file, config.Options{Rules: rules.Codes()})
}

// mustLoad is loadConfig for commands that end with exitUsage when it fails:
// ok is false then, and everything that is wrong has been printed.
func mustLoad(file string, stderr io.Writer) (c *config.Config, ok bool) {
	c, err := loadConfig(file)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return nil, false
	}
	return c, true
}
