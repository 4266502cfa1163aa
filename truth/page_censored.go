package main

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// censored is a kind of bent window and what was judged of it.
type censored struct {
	censoring
	verdicts verdicts
}

func (r results) cutting(p *page) {
	p.title(2, "Histograms bent by their own timeout")
	p.say("The caller's timeout bends the caller's own histogram ([model.md](model.md#3-what-became-of-attempts-that-were-cut-off)). Here nothing is declared: `latency.timeouts: auto`. "+
		"All shapes and layouts, with 1,000, 10,000 and 100,000 attempts per window, T on a bound and between bounds, %d windows of each kind. "+
		"A false clear is the error that must not happen: more than 1%% is cut off, and the audit says that T is above p99.", censoredRepeats)
	p.table([]string{"what becomes of attempts cut off, true p", "right", "undecided", "false clear", "false alarm", "taken for uncensored"}, censoredRows(r.censoring))
	p.title(3, "The false clears")
	r.falseClears(p)
}

func censoredRows(all []censored) [][]string {
	var keys []string
	sums := map[string]*verdicts{}
	for _, c := range all {
		key := fmt.Sprintf("%s, %s", c.cut.name, figure.Ratio(c.p))
		if sums[key] == nil {
			keys = append(keys, key)
			sums[key] = &verdicts{}
		}
		sums[key].add(c.verdicts)
	}
	var rows [][]string
	for _, key := range keys {
		rows = append(rows, censoredRow(key, *sums[key]))
	}
	return rows
}

func censoredRow(key string, v verdicts) []string {
	n := v.total()
	return []string{key, shareText(v.right, n), shareText(v.undecided, n), shareText(v.falseClears, n), shareText(v.falseAlarms, n), shareText(v.uncensored, n)}
}

// falseClears shows the kinds that were cleared falsely, by shape.
func (r results) falseClears(p *page) {
	var keys []string
	sums := map[string]*verdicts{}
	for _, c := range r.censoring {
		key := fmt.Sprintf("%s, %s, %s", c.cut.name, c.shape.name, figure.Ratio(c.p))
		if sums[key] == nil {
			keys = append(keys, key)
			sums[key] = &verdicts{}
		}
		sums[key].add(c.verdicts)
	}
	var rows [][]string
	for _, key := range keys {
		if v := sums[key]; v.falseClears > 0 {
			rows = append(rows, []string{key, shareText(v.falseClears, v.total()), shareText(v.undecided, v.total())})
		}
	}
	if len(rows) == 0 {
		p.say("There was none.")
		return
	}
	p.say("All of them drop what is cut off and count it nowhere, and in all of them a slow component lies beyond the timeout, as a whole or for the most part. What little of it lies below is hidden under the tail of the rest. The same buckets come, within chance, from a service that has no such component and a timeout that is fine. " +
		"Buckets alone cannot tell the two apart. A counter of timeouts can (`observed.timeouts`), and with one there is no false clear.")
	p.table([]string{"what becomes of attempts cut off, shape, true p", "false clear", "undecided"}, rows)
}

// unexplained counts the false clears of shapes without a component that can
// hide beyond the timeout, and those of histograms that lost nothing uncounted.
func unexplained(all []censored) int {
	count := 0
	for _, c := range all {
		if !c.shape.hides || !c.cut.dropped || c.cut.counted {
			count += c.verdicts.falseClears
		}
	}
	return count
}
