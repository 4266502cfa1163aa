package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

func (r results) watching(p *page) {
	p.title(2, "Verdicts that do not flap")
	p.say("The daemon looks every minute at a window of 1 h in 12 parts and at the window before, and holds its verdict while the counts do not decide ([model.md](model.md#8-verdicts-that-do-not-flap)). "+
		"Here the timeout is a bucket bound, and what happens to attempts cut off is declared. A false finding is one that comes although the long-run p is not above 1%%. A flip is a finding that comes or goes. A page is a finding that stands for %d minutes.", ruleFor)
	p.title(3, "Steady traffic, T = p99 exactly")
	p.say("The hardest place for a rule that asks whether T lies below p99.")
	p.table(append([]string{"attempts per window", "hours"}, "false findings", "per 1,000 windows", "flips per 2,000 windows", "false pages per dependency and day", "at most (95%)"), watchRows(r.steady, func(k kept) string {
		return figure.Count(float64(k.traffic.perWindow))
	}))
	p.title(3, "Shared episodes, long-run p = 0.5%")
	p.say("0.1%% exceed T, except in episodes of five minutes that strike all attempts at once. They come at random, as often as it takes to make 0.5%% in the long run.")
	p.table([]string{"attempts per window, p inside an episode", "hours", "false findings", "per 1,000 windows", "flips per 2,000 windows", "false pages per dependency and day", "at most (95%)"}, watchRows(r.episodes, func(k kept) string {
		return fmt.Sprintf("%s, %s", figure.Count(float64(k.traffic.perWindow)), figure.Ratio(k.traffic.episode))
	}))
	p.title(3, "Timeouts that do lie below p99")
	p.say("Latency is lognormal with sigma %g, scraped every 15 s, counts shrunk accordingly. `always so`: both windows are full of it when the daemon first looks. `after a change`: T was 1.5 × p99 until the first minute. %d runs each.", alarmSigma, alarmRuns)
	p.table([]string{"T ÷ p99, attempts per window", "true p", "always so: median", "within two windows", "after a change: median", "within two windows"}, alarmRows(r.alarms))
}

func watchRows(all []kept, name func(kept) string) [][]string {
	var rows [][]string
	for _, k := range all {
		rows = append(rows, []string{
			name(k), figure.Count(float64(k.hours)), strconv.Itoa(k.fires),
			numberText(k.firesPer1000()), numberText(k.flipsPer2000()), numberText(k.pagesPerDay()), numberText(k.pagesPerDayLimit()),
		})
	}
	return rows
}

func (k kept) firesPer1000() float64 { return 1000 * float64(k.fires) / float64(k.hours) }
func (k kept) flipsPer2000() float64 { return 2000 * float64(k.flips) / float64(k.hours) }
func (k kept) pagesPerDay() float64  { return 24 * float64(k.pages) / float64(k.hours) }

// pagesPerDayLimit is the upper limit at 95% of a Poisson rate, as the one of a
// binomial share of very many minutes.
func (k kept) pagesPerDayLimit() float64 {
	minutes := float64(k.hours) * minutesPerWindow
	return latency.BinomialUpper(float64(k.pages), minutes, .95) * minutesPerWindow * 24
}

func alarmRows(all []raised) [][]string {
	var rows [][]string
	for i := 0; i+1 < len(all); i += 2 {
		rows = append(rows, alarmRow(all[i], all[i+1]))
	}
	return rows
}

// alarmRow shows one timeout, found at once and after a change.
func alarmRow(always, changed raised) []string {
	return []string{
		fmt.Sprintf("%g, %s", always.ratio, figure.Count(float64(always.perWindow))), figure.Ratio(always.tail(always.ratio)),
		minutesText(always.median()), figure.Ratio(always.found()), minutesText(changed.median()), figure.Ratio(changed.found()),
	}
}

// found is the share of runs that fired within two windows.
func (r raised) found() float64 {
	found := 0
	for _, after := range r.after {
		if !math.IsInf(after, 1) {
			found++
		}
	}
	return float64(found) / float64(len(r.after))
}

func (r raised) median() float64 { return quantile(r.after, .5) }

func minutesText(minutes float64) string {
	switch {
	case math.IsInf(minutes, 1):
		return "> 2 h"
	case minutes == 0:
		return "at the first look"
	}
	return fmt.Sprintf("%.0f min", minutes)
}
