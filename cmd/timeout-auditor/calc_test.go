package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var updateCalc = flag.Bool("update-calc", false, "rewrite the golden files of the calculators")

// runCalc runs a calculator the way main does and returns what it printed.
func runCalc(t *testing.T, line string) (code int, stdout, stderr string) {
	t.Helper()
	app := kingpin.New("timeout-auditor", "")
	actions := calcCommands(app)
	selected, err := app.Parse(joinNegativeValues(strings.Fields(line)))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out, errs bytes.Buffer
	code = actions[selected](t.Context(), console{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

const (
	workedFallback = "calc fallback --p50 180ms --p99 1.4s --timeout 2s --retries 2 --correlation 0.5 --error-ratio 0.004 --calls-per-day 400000"
	workedBudget   = "calc budget --deadline 2s --hops 4 --retries 1 --overhead 5ms"
)

func TestCalcOutput(t *testing.T) {
	for name, line := range map[string]string{
		"fallback.txt":                      workedFallback,
		"fallback.json":                     workedFallback + " --output json",
		"fallback_timeouts_not_retried.txt": "calc fallback --p50 3ms --p99 5ms --timeout 3ms --retries 2 --no-retry-on-timeout",
		"fallback_point_mass.txt":           "calc fallback --p50 100ms --p99 100ms --timeout 150ms --retries 1",
		"timeout.txt":                       "calc timeout --p50 50ms --sigma 1 --timeout 300ms --timeout 250us",
		"timeout.json":                      "calc timeout --p50 50ms --sigma 1 --timeout 300ms --output json",
		"timeout_p99.txt":                   "calc timeout --p50 180ms --p99 1.4s",
		"budget.txt":                        workedBudget,
		"budget_measured.txt":               workedBudget + " --p99 120ms --rate 1000",
		"budget_measured.json":              workedBudget + " --p99 120ms --rate 1000 --output json",
		"budget_nothing_fits.txt":           workedBudget + " --p99 500ms",
		"budget_no_retries.txt":             "calc budget --deadline 2s --hops 4 --overhead 5ms",
		"budget_five_hops.txt":              "calc budget --deadline 2s --hops 5 --retries 1 --overhead 5ms",
		"budget_per_hop.txt":                "calc budget --deadline 1s --retries 1 --overhead 5ms --p99 60ms --p99 400ms --p99 100ms",
		"budget_overhead_alone.txt":         "calc budget --deadline 100ms --hops 10 --retries 2 --overhead 5ms --p99 1ms",
		"budget_one_call.txt":               "calc budget --deadline 30s --p99 7s",
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runCalc(t, line)
			if code != exitOK || stderr != "" {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			golden := filepath.Join("testdata", "calc", name)
			got := "$ timeout-auditor " + line + "\n" + stdout
			if strings.HasSuffix(name, ".json") {
				got = stdout
			}
			if *updateCalc {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := diffCalc(t, name, string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// diffCalc compares text as it is and JSON by value: the last digits of a
// float64 differ between processors.
func diffCalc(t *testing.T, name, want, got string) string {
	t.Helper()
	if !strings.HasSuffix(name, ".json") {
		return cmp.Diff(want, got)
	}
	var values [2]any
	for i, text := range []string{want, got} {
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return cmp.Diff(values[0], values[1], cmpopts.EquateApprox(1e-9, 0))
}

// The figures that people know from the worked examples, wherever a table puts
// them.
func TestCalcPrintsTheWorkedFigures(t *testing.T) {
	for line, figures := range map[string][]string{
		workedFallback: {
			"0.316%", "1,263 a day", "632 a day", "800 a day", "0.1579%", "0.2000%", "0.3579%", "1,432 a day",
			"0.00001%", "0.00004%", "p99.9 2.75s", "1.0108",
		},
		"calc timeout --p50 50ms --sigma 1":            {"3.66%", "512ms", "1.099s", "2.061s"},
		"calc timeout --p50 1s --p99 3s":               {"19.53%", "4.30%", "1.000%", "0.072%", "0.007%", "0.0002%"},
		"calc timeout --p50 1s --p99 8s":               {"6.05%", "2.25%", "0.272%", "0.096%", "0.019%"},
		"calc timeout --p50 1s --p99 20s":              {"3.69%", "1.77%", "0.413%", "0.209%", "0.074%"},
		workedBudget + " --rate 1000 --p99 300ms":      {"245ms", "16×", "16,000", "1.695s", "1.39s", "1.085s", "780ms are left"},
		workedBudget + " --p99 500ms":                  {"does not fit"},
		"calc budget --deadline 30s --p99 7s --hops 1": {"23s are left"},
	} {
		code, stdout, stderr := runCalc(t, line)
		if code != exitOK {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
		for _, figure := range figures {
			if !strings.Contains(stdout, figure) {
				t.Errorf("%s: %q is missing in\n%s", line, figure, stdout)
			}
		}
	}
}

func TestCalcRefusesInOneLine(t *testing.T) {
	const fallback = "calc fallback --p50 180ms --p99 1.4s --timeout 2s"
	for line, want := range map[string]string{
		"calc fallback --p99 1s --timeout 2s":                        "--p50: is required, a duration such as 180ms",
		"calc fallback --p50 -180ms --p99 1s --timeout 2s":           "--p50: must be above 0, got -180ms",
		"calc fallback --p50 180 --p99 1s --timeout 2s":              "--p50: must be a duration such as 180ms, 1.4s or 250us, got 180",
		"calc fallback --p50 180ms --p99 NaN --timeout 2s":           "--p99: must be a duration such as 180ms, 1.4s or 250us, got NaN",
		"calc fallback --p50 180ms --p99 100ms --timeout 2s":         "--p99: must be at least p50, which is 180ms, got 100ms",
		"calc fallback --p50 180ms --p99 1.4s --timeout 0s":          "--timeout: must be above 0, got 0s",
		fallback + " --correlation 1.2":                              "--correlation: must be between 0 and 1, got 1.2",
		fallback + " --correlation half":                             "--correlation: must be between 0 and 1, got half",
		fallback + " --retries -1":                                   "--retries: must be a whole number between 0 and 100, got -1",
		fallback + " --retries 1e9":                                  "--retries: must be a whole number between 0 and 100, got 1e9",
		fallback + " --retries 1000000000":                           "--retries: must be a whole number between 0 and 100, got 1000000000",
		fallback + " --error-ratio 1.2":                              "--error-ratio: must be between 0 and 1, got 1.2",
		fallback + " --error-ratio NaN":                              "--error-ratio: must be between 0 and 1, got NaN",
		fallback + " --error-ratio 0.999":                            "--error-ratio: must leave room beside the false-timeout ratio of 0.003159: at most 0.9968, got 0.999",
		fallback + " --calls-per-day -Inf":                           "--calls-per-day: must be between 0 and 1e15, got -Inf",
		"calc timeout --p50 50ms":                                    "--p99: is required, or sigma in its place",
		"calc timeout --p50 50ms --p99 1s --sigma 1":                 "--sigma: must not be given together with p99, got 1 beside a p99",
		"calc timeout --p50 50ms --p99 0s":                           "--p99: must be above 0, got 0s",
		"calc timeout --p50 50ms --sigma -1":                         "--sigma: must be a number between 0 and 10, got -1",
		"calc timeout --p50 50ms --sigma NaN":                        "--sigma: must be a number between 0 and 10, got NaN",
		"calc timeout --p50 50ms --p99 1s --timeout 1s --timeout 0s": "--timeout: must be above 0, got 0s",
		"calc budget --hops 2":                                       "--deadline: is required, a duration such as 180ms",
		"calc budget --deadline 0s --hops 2":                         "--deadline: must be above 0, got 0s",
		"calc budget --deadline 2s":                                  "--hops: is required: how many calls are made in a row",
		"calc budget --deadline 2s --hops 0":                         "--hops: must be a whole number between 1 and 100, got 0",
		"calc budget --deadline 2s --hops 3 --p99 1ms --p99 2ms":     "--p99: must be given once, or once for each of the 3 hops, got 2 of them",
		"calc budget --deadline 2s --hops 3 --p99 -1ms":              "--p99: must be above 0, got -1ms",
		"calc budget --deadline 2s --hops 3 --overhead -5ms":         "--overhead: must be 0 or above, got -5ms",
		"calc budget --deadline 2s --hops 3 --rate -.5":              "--rate: must be between 0 and 1e15, got -0.5",
	} {
		code, stdout, stderr := runCalc(t, line)
		if code != exitUsage || stdout != "" || stderr != "timeout-auditor: "+want+"\n" {
			t.Errorf("%s: exit %d\n got %s\nwant %s", line, code, stderr, "timeout-auditor: "+want)
		}
	}
}

func TestNegativeValuesAreJoinedToTheirFlag(t *testing.T) {
	for line, want := range map[string]string{
		"calc --retries -1":           "calc --retries=-1",
		"--p50 -1.5s --p99 -.5s -h":   "--p50=-1.5s --p99=-.5s -h",
		"--rate -Inf -v":              "--rate=-Inf -v",
		"--rate=3 -1":                 "--rate=3 -1",
		"audit -1 --output json":      "audit -1 --output json",
		"audit --output json -- -1 x": "audit --output json -- -1 x",
		"- --x -":                     "- --x -",
	} {
		if got := strings.Join(joinNegativeValues(strings.Fields(line)), " "); got != want {
			t.Errorf("%s becomes %s, want %s", line, got, want)
		}
	}
}

// full is a writer that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestCalcReportsThatItCouldNotWrite(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		app := kingpin.New("timeout-auditor", "")
		actions := calcCommands(app)
		selected, err := app.Parse(strings.Fields(workedBudget + " --output " + output))
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if code := actions[selected](t.Context(), console{stdout: full{}, stderr: &errs}); code != exitFailed || errs.Len() == 0 {
			t.Errorf("%s: exit %d, %q", output, code, errs.String())
		}
	}
}
