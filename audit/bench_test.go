package audit_test

import (
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
)

// One dependency of one cycle: every figure, the advice and its what-ifs.
func BenchmarkAssess(b *testing.B) {
	for name, timeout := range map[string]time.Duration{"timeout on a bound": time.Second, "between bounds": 1700 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			in := audit.Input{Dependency: new(dependency(config.Policy{Timeout: timeout, Deadline: 5 * time.Second, Retries: 2})), At: at,
				Observation: observation(b, bounds, counts)}
			b.ReportAllocs()
			for b.Loop() {
				audit.Assess(in)
			}
		})
	}
}
