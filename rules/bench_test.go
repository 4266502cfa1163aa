package rules_test

import (
	"testing"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Every rule on one healthy dependency, as a cycle judges it.
func BenchmarkJudge(b *testing.B) {
	subjects := rules.Subjects{Dependencies: []*audit.Assessment{seen(b, dependency(), 36000, 20)}}
	_, memory := rules.Judge(subjects, rules.Memory{}, rules.Options{Now: start, HoldFor: holdFor})
	b.ReportAllocs()
	for b.Loop() {
		rules.Judge(subjects, memory, rules.Options{Now: start, HoldFor: holdFor})
	}
}
