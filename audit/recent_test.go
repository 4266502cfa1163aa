package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestTheLastPartSaysWhetherItGoesOn(t *testing.T) {
	o := observation(t, bounds, counts)
	quiet, err := latency.FromCumulative(bounds, []float64{1500, 3000, 3000, 3000, 3000, 3000, 3000, 3000})
	if err != nil {
		t.Fatal(err)
	}
	o.Now.Parts[len(o.Now.Parts)-1] = quiet
	dep := dependency(config.Policy{Timeout: 250 * time.Millisecond})
	a := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o})
	r := a.Recently()
	if r == nil || r.Point != 0 || r.Lower != 0 || !(r.Upper > 0 && r.Upper < 0.01) || r.Length != 5*time.Minute {
		t.Fatalf("recently %+v, want nothing beyond the timeout in the last 5m", r)
	}
	if notes := strings.Join(a.Notes(), "; "); !strings.Contains(notes, "in the last 5m 0% (0% to ") {
		t.Errorf("notes %q", notes)
	}
	dep.Latency.Timeouts = "dropped"
	if r := audit.Assess(audit.Input{Dependency: &dep, At: at, Observation: o}).Recently(); r != nil {
		t.Errorf("a histogram without what was cut off says %+v", r)
	}
}
