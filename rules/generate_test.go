package rules_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

var update = flag.Bool("update", false, "write the generated files anew")

// The defaults of `timeout-auditor generate rules`.
var defaults = rules.AlertOptions{
	Runbooks:   "https://github.com/timeout-auditor/timeout-auditor/blob/main/docs/runbooks/",
	StaleAfter: 5 * time.Minute,
}

func TestRuleFileInDeployIsTheGeneratedOne(t *testing.T) {
	const file = "../deploy/prometheus/timeout-auditor.rules.yaml"
	var generated strings.Builder
	if err := rules.Generate(&generated, nil, defaults); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(generated.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	checkedIn, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(checkedIn), generated.String()); diff != "" {
		t.Errorf("%s is not what generate rules prints, run make generate:\n%s", file, diff)
	}
}

func TestGenerateReportsAFullDisk(t *testing.T) {
	if err := rules.Generate(full{}, nil, defaults); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }
