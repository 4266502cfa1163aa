package agent

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// Observer asks a metrics server about dependencies, one result for each with its
// place among them, from several goroutines at once; and for the series that
// templates stand for, in the same order. promquery.Client is the real one.
type Observer interface {
	ObserveEach(ctx context.Context, deps []config.Dependency, at time.Time, each func(i int, r promquery.Result))
	Discover(ctx context.Context, templates []config.Template, at time.Time) []promquery.Discovery
}

// Moment is when a cycle asks, and what went before.
type Moment struct {
	At       time.Time
	Previous *report.Report // of the cycle before: what stood and was last known; nil for the first

	// Histories is what is known of the past, by dependency; those without one are
	// advised by the present window alone.
	Histories map[string]*audit.History
}

// Cycle observes every dependency as of a moment, assesses and judges them. The
// daemon and the one-shot commands share it.
func Cycle(ctx context.Context, c *config.Config, o Observer, m Moment) *report.Report {
	at, previous := m.At, m.Previous
	started := time.Now()
	var memory rules.Memory
	if previous != nil {
		memory = previous.Memory
	}
	deps, entries := Discover(ctx, c, o, m)
	assessments := append(assess(ctx, deps, o, m), entries...)
	chains := assessChains(c.Chains, assessments, at)
	findings, memory := judge(rules.Subjects{Dependencies: assessments, Chains: chains}, memory,
		rules.Options{Now: at, HoldFor: c.HoldFor, Overrides: c.Rules})
	for _, a := range assessments {
		a.ForgetBefore()
	}
	return report.Build(report.Cycle{
		At:          at,
		Duration:    time.Since(started),
		StaleAfter:  c.StaleAfter,
		Detail:      c.Detail,
		Assessments: assessments,
		Chains:      chains,
		Findings:    findings,
		Memory:      memory,
	}, previous)
}

// assess asks about every dependency at once, and with it about the connect
// histograms that some of them have.
func assess(ctx context.Context, deps []config.Dependency, o Observer, m Moment) []*audit.Assessment {
	var connects []int // whose connect histograms are asked about
	observed := make([]observed, len(deps))
	for i, dep := range deps {
		observed[i].missing.Store(1)
		if dep.Connect != nil {
			observed[i].missing.Store(2)
			connects = append(connects, i)
		}
	}
	asked := Asked(deps)
	assessments := make([]*audit.Assessment, len(deps))
	o.ObserveEach(ctx, asked, m.At, func(i int, r promquery.Result) {
		if i < len(deps) {
			observed[i].own = new(input(&deps[i], r, m.At))
		} else {
			connecting := asked[i]
			i = connects[i-len(deps)]
			observed[i].connect = new(input(&connecting, r, m.At))
		}
		if observed[i].missing.Add(-1) > 0 {
			return
		}
		whole := *observed[i].own
		whole.Connect, whole.History = observed[i].connect, m.Histories[whole.Dependency.Name]
		observed[i].own, observed[i].connect = nil, nil
		assessments[i] = audit.Assess(whole)
	})
	return assessments
}

// observed is what is known of one dependency while others are asked about.
type observed struct {
	missing      atomic.Int32 // results
	own, connect *audit.Input
}

// sideBySide calls work for 0 to n−1 on all cores.
func sideBySide(n int, work func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	workers.Wait()
}

// Asked are the dependencies that a cycle asks about: those of the
// configuration, and behind them the connect histograms that some have.
func Asked(deps []config.Dependency) []config.Dependency {
	asked := slices.Clip(deps)
	for _, dep := range deps {
		if dep.Connect != nil {
			asked = append(asked, connecting(dep))
		}
	}
	return asked
}

// connecting is a dependency's connection set-up as a dependency of its own,
// with the connect timeout as its only policy.
func connecting(dep config.Dependency) config.Dependency {
	return config.Dependency{
		Name: dep.Name, Caller: dep.Caller, Callee: dep.Callee, Owner: dep.Owner,
		Latency: *dep.Connect, Policy: config.Policy{Timeout: dep.Policy.ConnectTimeout, RetryOnTimeout: true},
		Window: dep.Window, TargetFalseTimeoutRatio: dep.TargetFalseTimeoutRatio, Headroom: dep.Headroom, MaxStep: dep.MaxStep,
		Line: dep.Line,
	}
}

// assessChains also fits what is recommended for a dependency into the chains
// that it is part of.
func assessChains(chains []config.Chain, assessments []*audit.Assessment, at time.Time) []audit.ChainAssessment {
	if len(chains) == 0 {
		return nil
	}
	byName := make(map[string]*audit.Assessment, len(assessments))
	for _, a := range assessments {
		byName[a.Dependency.Name] = a
	}
	assessed := make([]audit.ChainAssessment, len(chains))
	rooms := map[string][]audit.Room{}
	for i, chain := range chains {
		assessed[i] = audit.AssessChain(chain, byName, at)
		for name, left := range assessed[i].Rooms(byName) {
			rooms[name] = append(rooms[name], left...)
		}
	}
	for i, a := range assessments {
		assessments[i] = a.Within(rooms[a.Dependency.Name])
	}
	return assessed
}

func input(dep *config.Dependency, result promquery.Result, at time.Time) audit.Input {
	in := audit.Input{Dependency: dep, At: at, Observation: result.Observation}
	if result.Err != nil {
		in.Failure = failure(result.Err, result.Observation.Queries)
	}
	return in
}

func failure(err error, queries []latency.Query) *audit.Failure {
	f := audit.Failure{
		Status:  latency.StatusQueryFailed,
		Message: err.Error(),
		Queries: queries,
	}
	var typed *promquery.Error
	if errors.As(err, &typed) {
		f.Status, f.Reason = typed.Status(), typed.Reason
	}
	return &f
}
