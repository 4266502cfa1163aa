package main

import "context"

const (
	batteryRepeats  = 100
	censoredRepeats = 8
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
	r.episodes, err = forEach(ctx, struck, vigil.keep, section("episodes", len(struck)))
	r.steady, r.episodes = joined(r.steady), joined(r.episodes)
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
