package agent

import (
	"maps"
	"runtime"
	"slices"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// judge applies the rules to dependencies on all cores, and to chains. What it
// returns is what rules.Judge says of all of them at once.
func judge(s rules.Subjects, memory rules.Memory, o rules.Options) ([]rules.Finding, rules.Memory) {
	n := len(s.Dependencies)
	shards := min(n, runtime.GOMAXPROCS(0))
	parts := make([]judged, shards+1)
	sideBySide(shards, func(i int) {
		part := rules.Subjects{Dependencies: s.Dependencies[i*n/shards : (i+1)*n/shards]}
		parts[i].findings, parts[i].memory = rules.Judge(part, memory, o)
	})
	last := &parts[shards]
	last.findings, last.memory = rules.Judge(rules.Subjects{Chains: s.Chains}, memory, o)
	all := judged{memory: rules.Memory{Dependencies: make(map[string]rules.Remembered, n), Chains: last.memory.Chains}}
	found := make([][]rules.Finding, len(parts))
	for i, part := range parts {
		found[i] = part.findings
		maps.Copy(all.memory.Dependencies, part.memory.Dependencies)
	}
	return slices.Concat(found...), all.memory
}

type judged struct {
	findings []rules.Finding
	memory   rules.Memory
}
