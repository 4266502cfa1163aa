package main

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/truth/loop"
)

// closedLoop shows what real calls came to beside what was predicted.
func (r results) closedLoop(p *page) {
	p.title(2, "Real calls beside the prediction")
	p.say("Real HTTP clients with real timeouts, retries, backoff, budgets and hedges call real servers whose latency is drawn from a known lognormal, with errors and shared fates mixed in. "+
		"Each figure is measured over %d calls and stands beside the interval that the retry model predicts for it. Unlike the rest of this page, two runs differ here in the last digits, by how late the machine's timers fire.", loopCalls)
	p.WriteString("\n")
	if err := loop.WriteMarkdown(p, r.loop); err != nil {
		panic(err) // a strings.Builder takes everything
	}
}

// loopTarget promises that every figure of every policy lies inside.
func (r results) loopTarget() target {
	inside := 0
	for _, row := range r.loop {
		if row.Inside() {
			inside++
		}
	}
	return target{
		promise: "Real calls: fallback ratio, attempts per call and duration inside their predicted intervals under every policy",
		reached: fmt.Sprintf("%d of %d policies", inside, len(r.loop)),
		met:     inside > 0 && inside == len(r.loop),
	}
}
