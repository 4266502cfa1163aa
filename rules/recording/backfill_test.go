package recording_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// past writes series with a sample every 15 s over the two hours up to now.
type past struct {
	now  time.Time
	text strings.Builder
}

func (b *past) add(series string, value func(i int) float64) {
	const samples = 480
	for i := range samples {
		at := b.now.Add(time.Duration(i-samples+1) * 15 * time.Second)
		fmt.Fprintf(&b.text, "%s %g %d\n", series, value(i), at.Unix())
	}
}

// histogram adds calls to a classic histogram before every sample. Bounds are
// in its unit, cdf takes them so.
func (b *past) histogram(name string, bounds []float64, calls float64, cdf func(float64) float64) {
	for _, bound := range append(bounds, math.Inf(1)) {
		le := fmt.Sprint(bound)
		b.add(fmt.Sprintf("%s_bucket{le=%q}", name, le), func(i int) float64 { return math.Round(calls * float64(i) * cdf(bound)) })
	}
}

// blocks makes blocks of the series in a directory that Prometheus can start on.
func (b *past) blocks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "series.om")
	if err := os.WriteFile(file, []byte(b.text.String()+"# EOF\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "tsdb", "create-blocks-from", "openmetrics", file, filepath.Join(dir, "data")); err != nil {
		t.Fatalf("backfilling: %v\n%s", err, out)
	}
	return dir
}

// lognormal is the distribution function of a lognormal.
func lognormal(median, sigma float64) func(float64) float64 {
	return func(x float64) float64 { return 0.5 * math.Erfc(-math.Log(x/median)/(sigma*math.Sqrt2)) }
}
