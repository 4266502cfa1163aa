package recording

import (
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

func TestTailIsAsExactAsItSays(t *testing.T) {
	worst, at := 0.0, 0.0
	for i := range 37001 {
		z := float64(i) / 1000
		u, sum := 1/(1+tailScale*z), 0.0
		for j, a := range tailCoefficients() {
			sum += a * math.Pow(u, float64(j+1))
		}
		if e := math.Abs(math.Exp(-z*z/2)*sum/latency.NormalSurvival(z) - 1); e > worst {
			worst, at = e, z
		}
	}
	if worst > 1e-6 {
		t.Errorf("off by %.3g at z = %g, the comment says 1e-6", worst, at)
	}
	t.Logf("largest relative error for 0 ≤ z ≤ 37: %.3g at z = %g", worst, at)
}
