package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"timeout-auditor": main})
}

// TestScripts runs the real program as a user does, one behaviour a script.
// $PROMETHEUS is a canned Prometheus, see cannedPrometheus.
func TestScripts(t *testing.T) {
	prometheus := cannedPrometheus(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PROMETHEUS", prometheus.URL)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// expand FILE replaces $PROMETHEUS in a file of the script.
			"expand": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, name := range args {
					file := ts.MkAbs(name)
					text := strings.ReplaceAll(ts.ReadFile(file), "$PROMETHEUS", ts.Getenv("PROMETHEUS"))
					ts.Check(os.WriteFile(file, []byte(text), 0o600))
				}
			},
		},
	})
}
