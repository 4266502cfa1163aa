package calc_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/timeout-auditor/timeout-auditor/calc"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// workedExample is the fallback arithmetic that people check by hand.
func workedExample() calc.FallbackInput {
	return calc.FallbackInput{
		P50: 0.18, P99: 1.4, Timeout: 2, Retries: 2, RetryOnTimeout: true,
		Correlation: 0.5, ErrorRatio: 0.004, CallsPerDay: 400000,
	}
}

func TestFallbackWorkedExample(t *testing.T) {
	f, err := workedExample().Calculate()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ got, want float64 }{
		"sigma":          {f.LognormalSigma, 0.8817557716121384},
		"p99.9":          {f.P999Seconds, 2.7456881713691173},
		"p":              {f.FalseTimeoutRatio, 0.0031585297355849937},
		"false timeouts": {f.Daily.FalseTimeouts, 1263.4118942339974},
		"all time out":   {f.Causes.Timeout, 0.001579280623028533},
		"all error":      {f.Causes.Error, 0.002000032},
		"F":              {f.FallbackRatio, 0.0035794482856027305},
		"by cause":       {f.Independent.ByCauseRatio, 9.551047207249654e-08},
		"with mixed":     {f.Independent.WithMixedRatio, 3.668356204674716e-07},
		"one fate":       {f.SharedFateRatio, 0.007158529735584993},
	} {
		if !near(tc.got, tc.want, 1e-9) {
			t.Errorf("%s = %v, want %v", name, tc.got, tc.want)
		}
	}
}

// TestTimeoutSweepsOfTheVectors looks every worked sweep up in the calculator's
// own tables.
func TestTimeoutSweepsOfTheVectors(t *testing.T) {
	data, err := os.ReadFile("../latency/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID, Func, Source string
			Input            map[string]any
			Expect           map[string]any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, c := range file.Cases {
		number := func(name string) float64 { x, _ := c.Input[name].(float64); return x / 1000 }
		in := calc.TimeoutInput{P50: number("p50"), P99: number("p99")}
		if sigma, ok := c.Input["sigma"].(float64); ok {
			in = calc.TimeoutInput{P50: number("median"), Sigma: &sigma}
		}
		var rows func(calc.Timeout) []calc.TimeoutRow
		switch c.Source {
		case "fallback-rate table":
			rows = func(r calc.Timeout) []calc.TimeoutRow { return r.Multiples }
		case "failure-detector sweep, T 100..5000 ms":
			rows = func(r calc.Timeout) []calc.TimeoutRow { return r.Sweep }
		default:
			continue
		}
		result, err := in.Calculate()
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		want, _ := c.Expect["p"].(float64)
		matched := false
		for _, row := range rows(result) {
			if near(row.TimeoutSeconds, number("T"), 1e-12) {
				matched = near(row.FalseTimeoutRatio, want, 1e-9)
			}
		}
		if !matched {
			t.Errorf("%s: no row with %v at %v s in %+v", c.ID, want, number("T"), rows(result))
		}
		found++
	}
	if found < 28 {
		t.Errorf("only %d sweep vectors were found", found)
	}
}

func TestTimeoutForEachTarget(t *testing.T) {
	sigma := 1.0
	got, err := calc.TimeoutInput{P50: 0.05, Sigma: &sigma, Timeouts: []float64{0.3}}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	var targets []float64
	for _, row := range got.Targets {
		targets = append(targets, row.TimeoutSeconds)
	}
	want := []float64{0.5120236828156068, 1.0991091989791419, 2.061191496392157}
	if diff := cmp.Diff(want, targets, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
	if !near(got.P99Seconds, want[0], 1e-12) {
		t.Errorf("p99 = %v, want %v", got.P99Seconds, want[0])
	}
	asked := got.Asked[0]
	if asked.FalseTimeoutLevel != calc.LevelRed || asked.DetectionDelaySeconds != 0.3 || !near(asked.MeanAttemptSeconds, 0.07574982378042256, 1e-9) {
		t.Errorf("300ms: %+v", asked)
	}
}

func TestPointMassIsFlagged(t *testing.T) {
	got, err := calc.TimeoutInput{P50: 0.1, P99: 0.1, Timeouts: []float64{0.05, 0.1}}.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	if !got.PointMass || got.Asked[0].FalseTimeoutRatio != 1 || got.Asked[1].FalseTimeoutRatio != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSweepHoldsRoundTimeouts(t *testing.T) {
	for name, tc := range map[string]struct {
		p50  float64
		want []float64
	}{
		"from twice the median": {0.05, []float64{0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5}},
		"between round numbers": {0.18, []float64{0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15}},
		"microseconds":          {4e-6, []float64{1e-5, 1.5e-5, 2e-5, 3e-5, 5e-5, 7e-5, 1e-4, 1.5e-4, 2e-4, 3e-4}},
	} {
		got, err := calc.TimeoutInput{P50: tc.p50, P99: tc.p50 * 10}.Calculate()
		if err != nil {
			t.Fatal(err)
		}
		var timeouts []float64
		for _, row := range got.Sweep {
			timeouts = append(timeouts, row.TimeoutSeconds)
		}
		if diff := cmp.Diff(tc.want, timeouts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLevels(t *testing.T) {
	for p, want := range map[float64]calc.Level{
		0: calc.LevelOK, 0.00499: calc.LevelOK, 0.005: calc.LevelAmber, 0.0199: calc.LevelAmber, 0.02: calc.LevelRed, 1: calc.LevelRed,
	} {
		if got := calc.LevelOf(p); got != want {
			t.Errorf("LevelOf(%v) = %v, want %v", p, got, want)
		}
	}
	if got := calc.LevelOf(math.NaN()); got != calc.LevelRed {
		t.Errorf("an unknown ratio is %v", got)
	}
}

func TestWrongStructsAreRefused(t *testing.T) {
	nan := math.NaN()
	change := func(f func(*calc.FallbackInput)) error {
		in := workedExample()
		f(&in)
		_, err := in.Calculate()
		return err
	}
	for want, err := range map[string]error{
		"p50: must be above 0, got NaN":                      change(func(in *calc.FallbackInput) { in.P50 = nan }),
		"p99: must be above 0, got +Inf":                     change(func(in *calc.FallbackInput) { in.P99 = math.Inf(1) }),
		"timeout: must be above 0, got -2s":                  change(func(in *calc.FallbackInput) { in.Timeout = -2 }),
		"error-ratio: must be between 0 and 1":               change(func(in *calc.FallbackInput) { in.ErrorRatio = nan }),
		"calls-per-day: must be between 0 and 1e15, got NaN": change(func(in *calc.FallbackInput) { in.CallsPerDay = nan }),
		"retries: must be a whole number between 0":          change(func(in *calc.FallbackInput) { in.Retries = 101 }),
	} {
		var input *calc.InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// finite reports whether v encodes as JSON, which knows neither NaN nor
// infinity.
func finite(t *testing.T, v any) {
	t.Helper()
	if _, err := json.Marshal(v); err != nil {
		t.Fatal(err)
	}
}

func FuzzForms(f *testing.F) {
	f.Add("180ms", "1.4s", "2s", "2", "0.5", "0.004", "400000")
	f.Add("", "NaN", "-1s", "1e9", "1.2", "NaN", "Inf")
	f.Add("1ns", "2562047h", "1ns", "100", "1", "1", "1e308")
	f.Add("2562047h", "2562047h", "2562047h", "0", "0", "0", "0")
	f.Fuzz(func(t *testing.T, p50, p99, timeout, retries, correlation, errorRatio, calls string) {
		form := calc.Values{
			"p50": {p50}, "p99": {p99}, "timeout": {timeout, p50}, "retries": {retries}, "correlation": {correlation},
			"error-ratio": {errorRatio}, "calls-per-day": {calls}, "deadline": {timeout}, "hops": {retries},
			"overhead": {p50}, "rate": {calls},
		}
		var out strings.Builder
		if in, err := calc.FallbackFrom(form); err == nil {
			if result, err := in.Calculate(); err == nil {
				finite(t, result)
				_ = result.Text(&out)
			}
		}
		if in, err := calc.TimeoutFrom(form); err == nil {
			if result, err := in.Calculate(); err == nil {
				finite(t, result)
				_ = result.Text(&out)
			}
		}
		if in, err := calc.BudgetFrom(form); err == nil {
			if result, err := in.Calculate(); err == nil {
				finite(t, result)
				_ = result.Text(&out)
			}
		}
		if strings.Contains(out.String(), "NaN") {
			t.Fatalf("NaN in\n%s", out.String())
		}
	})
}
