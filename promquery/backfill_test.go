package promquery_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// evening is the moment that the tests on backfilled data ask about.
var evening = time.Date(2024, time.May, 1, 18, 0, 0, 0, time.UTC)

// backfill writes series with timestamps, to be made into blocks.
type backfill struct {
	families map[string][]string // lines by family, since a family must be in one place
	order    []string
}

// every says when a series has samples: from and to are ages before evening.
type every struct {
	step     time.Duration
	from, to time.Duration
}

// quarterly is a usual scrape interval over four hours.
var quarterly = every{step: 15 * time.Second, from: 4 * time.Hour}

// add writes one series. value gets the number of the sample, from 0.
func (b *backfill) add(name, labelText string, e every, value func(i int) float64) {
	if b.families == nil {
		b.families = map[string][]string{}
	}
	if _, seen := b.families[name]; !seen {
		b.order = append(b.order, name)
	}
	head := name + "{" + labelText + "}"
	if strings.HasPrefix(name, `"`) {
		head = "{" + strings.TrimSuffix(name+","+labelText, ",") + "}"
	}
	i := 0
	for at := evening.Add(-e.from); !at.After(evening.Add(-e.to)); at = at.Add(e.step) {
		b.families[name] = append(b.families[name], fmt.Sprintf("%s %g %d", head, value(i), at.Unix()))
		i++
	}
}

// histogram is a classic histogram in which every sample adds calls that are
// spread over the bounds as cdf says.
type histogram struct {
	name, labels string
	bounds       []string
	calls        float64 // per sample
	mean         float64
	cdf          func(bound float64) float64
	resetAt      int // the sample at which the process starts again; 0: never
}

func (b *backfill) histogram(h histogram, e every) {
	since := func(i int) float64 {
		if h.resetAt > 0 && i >= h.resetAt {
			return float64(i - h.resetAt)
		}
		return float64(i)
	}
	suffixed := func(suffix string) string {
		if quoted, ok := strings.CutSuffix(h.name, `"`); ok {
			return quoted + suffix + `"`
		}
		return h.name + suffix
	}
	for _, le := range append(h.bounds, "+Inf") {
		text := strings.TrimPrefix(h.labels+`,le="`+le+`"`, ",")
		var bound float64
		if _, err := fmt.Sscan(le, &bound); err != nil {
			panic(err)
		}
		share := 1.0
		if !math.IsInf(bound, 1) {
			share = h.cdf(bound)
		}
		b.add(suffixed("_bucket"), text, e, func(i int) float64 { return math.Round(h.calls * since(i) * share) })
	}
	b.add(suffixed("_sum"), h.labels, e, func(i int) float64 { return h.calls * h.mean * since(i) })
	b.add(suffixed("_count"), h.labels, e, func(i int) float64 { return h.calls * since(i) })
}

// start makes blocks of the series and starts a real Prometheus on them.
func (b *backfill) start(t *testing.T) *servers.Process {
	t.Helper()
	return startPrometheus(t.Context(), t, servers.PrometheusOptions{Dir: b.blocks(t)})
}

// blocks writes the history for a server to find, and returns its directory.
func (b *backfill) blocks(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, name := range b.order {
		text.WriteString(strings.Join(b.families[name], "\n") + "\n")
	}
	text.WriteString("# EOF\n")
	dir := t.TempDir()
	file := filepath.Join(dir, "series.om")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatalf("backfilling: %v\n%s", err, out)
	}
	return dir
}

func startPrometheus(ctx context.Context, t *testing.T, o servers.PrometheusOptions) *servers.Process {
	t.Helper()
	p, err := servers.StartPrometheus(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// lognormal returns the distribution function of a lognormal in seconds.
func lognormal(median, sigma float64) func(float64) float64 {
	return func(x float64) float64 {
		return 0.5 * math.Erfc(-(math.Log(x)-math.Log(median))/(sigma*math.Sqrt2))
	}
}
