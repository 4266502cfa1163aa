package main

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// The tests in the cases files stand for public reports of monitoring that
// misled somebody. Each goes the whole way that a user goes, from what a
// process or Prometheus serves to the findings, and wants what would have been
// right.

// outcome is what one command said of one dependency.
type outcome struct {
	report.DependencyDocument
	exit int
}

// judged runs a command with --output json over one dependency.
func judged(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append(args, "--output=json"), strings.NewReader(stdin), &out, &errs)
	var document report.Document
	if err := json.Unmarshal(out.Bytes(), &document); err != nil || len(document.Dependencies) != 1 {
		t.Fatalf("%v: exit %d, %v\n%s%s", args, code, err, &out, &errs)
	}
	return outcome{document.Dependencies[0], code}
}

func inspectCase(t *testing.T, file string, args ...string) outcome {
	t.Helper()
	return judged(t, "", append([]string{"inspect", filepath.Join("testdata", "cases", file)}, args...)...)
}

func (o outcome) finding(code string) *report.FindingDocument {
	i := slices.IndexFunc(o.Findings, func(f report.FindingDocument) bool { return f.Rule == code })
	if i < 0 {
		return nil
	}
	return &o.Findings[i]
}

// cleared reports whether the timeout is said to be fine.
func (o outcome) cleared() bool {
	return o.Status == latency.StatusOK && o.finding("timeout-below-p99") == nil
}

// wantNoVerdict wants neither a page nor a clean bill.
func (o outcome) wantNoVerdict(t *testing.T) {
	t.Helper()
	if o.finding("timeout-below-p99") != nil || o.finding("false-timeout-ratio-high") != nil || o.cleared() {
		t.Errorf("status %s, findings %+v: want no verdict", o.Status, o.Findings)
	}
	if o.exit == exitFindings {
		t.Errorf("exit %d, want no critical finding", o.exit)
	}
}

func (o outcome) wantReasons(t *testing.T, reasons ...latency.Reason) {
	t.Helper()
	for _, r := range reasons {
		if !slices.Contains(o.Reasons, r) {
			t.Errorf("reasons %q lack %q", o.Reasons, r)
		}
	}
}

func wantNear(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, within)
	}
}

// All calls take 220 ms and the buckets end at 200 and 300 ms. Interpolation
// says p50 250, p95 295 and p99 299 ms; all that is known is 200 to 300.
func TestCaseSpikeInsideAWideBucket(t *testing.T) {
	const file = "spike-inside-a-wide-bucket.prom"
	ask := func(timeout string) outcome {
		return inspectCase(t, file, "--metric=rpc_seconds", "--timeouts=uncensored", "--timeout="+timeout)
	}
	below := ask("200ms")
	if f := below.finding("timeout-below-p99"); f == nil || below.exit != exitFindings {
		t.Errorf("200ms: exit %d, findings %+v: want timeout-below-p99", below.exit, below.Findings)
	}
	if above := ask("300ms"); !above.cleared() || above.exit != exitOK {
		t.Errorf("300ms: status %s, findings %+v: want it cleared", above.Status, above.Findings)
	}
	inside := ask("250ms")
	inside.wantNoVerdict(t)
	if inside.Status != latency.StatusUncertain {
		t.Errorf("250ms: status %s, want uncertain", inside.Status)
	}
	if f := inside.finding("bucket-missing-at-timeout"); f == nil || !strings.Contains(f.Advice, "le = 250ms") {
		t.Errorf("250ms: findings %+v, want the advice to add a bound at 250ms", inside.Findings)
	}
	figures := inside.Figures
	if *figures.P50Seconds < 0.2 || *figures.P99Seconds > 0.3 {
		t.Errorf("p50 %v and p99 %v leave 0.2 to 0.3", *figures.P50Seconds, *figures.P99Seconds)
	}
	if p := figures.FalseTimeout; p.Lower > 0 || p.Upper < 1 {
		t.Errorf("250ms: p is %v to %v, want 0 to 1: the buckets say no more", p.Lower, p.Upper)
	}
	// Nobody said what becomes of attempts cut off: still no timeout is wrongly
	// cleared or found guilty.
	for _, timeout := range []string{"250ms", "300ms"} {
		o := inspectCase(t, file, "--metric=rpc_seconds", "--timeout="+timeout)
		if o.exit != exitOK || o.finding("timeout-below-p99") != nil {
			t.Errorf("%s under auto: findings %+v", timeout, o.Findings)
		}
	}
}

// The p99 of three endpoints is exactly 10 s, the highest bound. Of one, 8% lie
// beyond it, with a p50 of 2 s. The dashboard's p99 says 1%.
func TestCaseEndpointsAtTheHighestBound(t *testing.T) {
	for endpoint, beyond := range map[string]float64{"export": 0.08, "import": 0.3, "search": 0.03} {
		o := inspectCase(t, "three-endpoints-at-the-highest-bound.prom",
			"--metric=endpoint_seconds", `--selector={endpoint="`+endpoint+`"}`, "--timeout=10s", "--timeouts=uncensored")
		o.wantReasons(t, latency.ReasonTopBucket)
		figures := o.Figures
		if *figures.P99Seconds != 10 || !figures.P99LowerBound {
			t.Errorf("%s: p99 %v, a lower bound %t; want 10 as a lower bound", endpoint, *figures.P99Seconds, figures.P99LowerBound)
		}
		wantNear(t, endpoint+": p", figures.FalseTimeout.Ratio, beyond, 1e-9)
		if o.finding("timeout-below-p99") == nil {
			t.Errorf("%s: findings %+v, want timeout-below-p99", endpoint, o.Findings)
		}
		if endpoint != "export" {
			continue
		}
		wantNear(t, "p50", *figures.P50Seconds, 2, 1e-9)
		fit := latency.Lognormal{Mu: figures.Lognormal.Mu, Sigma: figures.Lognormal.Sigma}
		wantNear(t, "sigma through p50 and the 92% point", fit.Sigma, 1.145, 0.0005)
		wantNear(t, "p99 of that lognormal", fit.Quantile(0.01), 28.7, 0.05)
	}
}

// Six observations in seconds all fall into the first millisecond bucket. The
// dashboard says p50 2.5 and p99 4.95; the mean of 0.298 contradicts it.
func TestCaseSecondsInMillisecondBuckets(t *testing.T) {
	for _, metric := range []string{"job_duration_milliseconds", "job_duration"} {
		o := inspectCase(t, "seconds-in-millisecond-buckets.prom", "--metric="+metric, "--timeout=1s")
		o.wantReasons(t, latency.ReasonFirstBucket, latency.ReasonUnitMismatch)
		o.wantNoVerdict(t)
		if o.Status == latency.StatusOK || !strings.Contains(o.Detail, "298") {
			t.Errorf("%s: status %s, detail %q: want the mean named", metric, o.Status, o.Detail)
		}
	}
}

// One or two requests in five minutes, replicas merged by max. The dashboard
// says p99 12 s, and the slowest real call took 26 ms.
func TestCaseReplicasMergedByMax(t *testing.T) {
	merged := inspectCase(t, "replicas-merged-by-max.prom", "--metric=merged_seconds", "--timeout=1s")
	merged.wantReasons(t, latency.ReasonNonMonotonic)
	merged.wantNoVerdict(t)
	if merged.exit != exitFailed || merged.Figures != nil {
		t.Errorf("exit %d, figures %+v: want nothing known", merged.exit, merged.Figures)
	}
	few := inspectCase(t, "replicas-merged-by-max.prom", "--metric=few_seconds", "--timeout=1s")
	few.wantNoVerdict(t)
	if few.Status != latency.StatusThinData {
		t.Errorf("two requests: status %s, want thin-data", few.Status)
	}
}

// A timeout of 3 ms on a service that answers in 2 to 5 ms, and two retries.
// The proxy does not retry its own timeouts, so the cube of p is wrong.
func TestCaseProxyThatDoesNotRetryItsTimeouts(t *testing.T) {
	ask := func(args ...string) outcome {
		return inspectCase(t, "proxy-that-does-not-retry-its-timeouts.prom", append(args,
			"--metric=upstream_seconds", "--timeouts=uncensored", "--timeout=3ms", "--retries=2", "--correlation=0")...)
	}
	o := ask("--retry-on-timeout=false")
	wantNear(t, "p", o.Figures.FalseTimeout.Ratio, 2./3, 0.001)
	wantNear(t, "amplification", o.Figures.Amplification.Ratio, 1, 1e-9)
	wantNear(t, "fallback ratio", o.Figures.Fallback.Ratio, 2./3, 0.001)
	if o.finding("timeout-below-p99") == nil || o.finding("fallback-ratio-high") == nil || o.finding("amplification-high") != nil {
		t.Errorf("findings %+v", o.Findings)
	}
	retried := ask()
	wantNear(t, "fallback ratio with timeouts retried", retried.Figures.Fallback.Ratio, math.Pow(2./3, 3), 0.001)
}

// The timeout per attempt is not below the whole request's: one attempt, the
// retries never happen.
func TestCasePerAttemptTimeoutIsDead(t *testing.T) {
	for _, timeout := range []string{"2s", "3s"} {
		o := inspectCase(t, "spike-inside-a-wide-bucket.prom", "--metric=rpc_seconds", "--timeout="+timeout, "--deadline=2s", "--retries=3")
		if o.finding("per-attempt-timeout-dead") == nil {
			t.Errorf("%s: findings %+v, want per-attempt-timeout-dead", timeout, o.Findings)
		}
		if want := []float64{2}; o.Policy.EffectiveAttempts != 1 || !slices.Equal(o.Policy.EffectiveTimeoutsSeconds, want) {
			t.Errorf("%s: %d attempts of %v, want one of %v", timeout, o.Policy.EffectiveAttempts, o.Policy.EffectiveTimeoutsSeconds, want)
		}
	}
}
