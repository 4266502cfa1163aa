package main

import (
	"context"

	"github.com/timeout-auditor/timeout-auditor/truth/loop"
)

const (
	batteryRepeats  = 100
	censoredRepeats = 8
	loopCalls       = 5000 // for each policy
	loopSeed        = 1
)

// measure runs every part.
func measure(ctx context.Context, p *progress) (r results, err error) {
	section := func(name string, all int) func(int) {
		return func(done int) { p.show(name, done, all) }
	}
	tried := trials()
	if r.battery, err = forEach(ctx, tried, battery, section("battery", len(tried))); err != nil {
		return r, err
	}
	bent := censorings()
	if r.censoring, err = forEach(ctx, bent, bend, section("censoring", len(bent))); err != nil {
		return r, err
	}
	raisings := alarms()
	if r.alarms, err = forEach(ctx, raisings, raise, section("alarms", len(raisings))); err != nil {
		return r, err
	}
	steady := steadyVigils()
	if r.steady, err = forEach(ctx, steady, vigil.keep, section("steady traffic", len(steady))); err != nil {
		return r, err
	}
	struck := episodeVigils()
	if r.episodes, err = forEach(ctx, struck, vigil.keep, section("episodes", len(struck))); err != nil {
		return r, err
	}
	r.steady, r.episodes = joined(r.steady), joined(r.episodes)
	r.loop, err = loop.Run(ctx, loop.Options{Calls: loopCalls, Seed: loopSeed, Progress: p.out})
	return r, err
}

func battery(t trial) result { return result{t, t.run(batteryRepeats)} }

func bend(c censoring) censored { return censored{c, c.run(censoredRepeats)} }

func raise(a alarm) raised {
	r := raised{alarm: a, after: make([]float64, alarmRuns)}
	for i := range r.after {
		r.after[i] = a.raise(i)
	}
	return r
}
