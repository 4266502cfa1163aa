package main

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// unresolvedMark marks what counts at the bounds cannot resolve.
const unresolvedMark = "¹"

const largest = 1e6 // values per window where chance hardly matters

func (r results) estimates(p *page) {
	p.title(2, "The estimate of p")
	p.say("p = P(X > T) is the share of attempts that a timeout T cuts off although their reply would come. Three estimates of it, from the same histogram:")
	p.say("- **two quantiles**: the lognormal through the p50 and p99 that Prometheus reads off the buckets, as anyone can compute it from a dashboard;\n" +
		"- **single fit**: one lognormal by maximum likelihood on all buckets;\n" +
		"- **headline**: what the auditor reports ([model.md](model.md#4-the-point-estimate)).")
	p.say("A factor error of 2 says that the estimate is twice or half the truth: max(estimate ÷ truth, truth ÷ estimate). p50, p95 and p99 are over windows. "+
		"The timeout lies where p is 5%%, 1%% or 0.1%% (on top of what is lost at any timeout); half of the windows have it on a bucket bound, the other half between two. "+
		"Factors are over windows with at least %d attempts expected beyond T. "+
		"The hard bracket is over all windows: it promises 99%%. "+
		"A verdict is wrong when it puts T on the wrong side of p99; of the two fits that is the estimate's side of 1%%, of the headline the verdict by the counts, which may also be undecided. Between bounds it often is, since it promises nothing that the bracket does not.", enoughBeyond)
	p.title(3, "By bucket layout, all shapes")
	p.table(batteryHead("layout, attempts per window"), batteryRows(byLayout(r.battery)))
	p.title(3, fmt.Sprintf("By shape, all layouts, %s attempts per window", figure.Count(largest)))
	p.say("Here chance hardly matters, and what is left is the method's own error.")
	p.table(batteryHead("shape, place of T"), batteryRows(byShape(r.battery)))
	p.title(3, "How wide the hard bracket is")
	p.say("The bracket as multiples of the true p, at the median. Between two bounds it is as wide as the bucket. That is why the audit asks for a bucket bound at the timeout.")
	p.table([]string{"layout, place of T, true p", "1,000", "10,000", "1,000,000"}, bracketRows(r.battery))
	p.title(3, "The shapes")
	p.say("Times are in units of the shape's own. Each is stretched until its quantile lies where the timeout is wanted, between 50 ms and 2.5 s. "+
		"Each kind of window is drawn %d times, in 12 parts. Values that never come lie beyond all buckets.", batteryRepeats)
	var rows [][]string
	for _, s := range shapes() {
		rows = append(rows, []string{s.name, s.about})
	}
	p.prose([]string{"shape", "what it is"}, rows)
}

func byLayout(battery []result) group {
	return grouped(battery, func(t trial) (string, bool) {
		return fmt.Sprintf("%s, %s", t.layout.name, figure.Count(float64(t.n))), true
	})
}

func byShape(battery []result) group {
	return grouped(battery, func(t trial) (string, bool) {
		return shapeKey(t), t.n == largest
	})
}

func shapeKey(t trial) string {
	if t.place == between && t.shape.unresolved != "" {
		return fmt.Sprintf("%s, %s %s", t.shape.name, t.place, unresolvedMark)
	}
	return fmt.Sprintf("%s, %s", t.shape.name, t.place)
}

func batteryHead(first string) []string {
	head := []string{first}
	for m := range methods {
		head = append(head, m.String()+" p50", "p95", "p99")
	}
	return append(head, "wrong verdicts: two", "single", "headline", "headline undecided", "bracket holds")
}

func batteryRows(g group) [][]string {
	var rows [][]string
	for _, key := range g.keys {
		rows = append(rows, batteryRow(key, g.tallies[key]))
	}
	return rows
}

func batteryRow(key string, y *tally) []string {
	cells := []string{key}
	for m := range methods {
		for _, q := range []float64{.5, .95, .99} {
			cells = append(cells, factorText(y.factor(m, q)))
		}
	}
	for m := range methods {
		cells = append(cells, shareText(y.wrong[m], y.judged))
	}
	return append(cells, shareText(y.undecided, y.judged), shareText(y.held, y.all))
}

func bracketRows(battery []result) [][]string {
	bySize := map[int]group{}
	for _, n := range sizes() {
		bySize[n] = grouped(battery, func(t trial) (string, bool) {
			return fmt.Sprintf("%s, %s, %s", t.layout.name, t.place, figure.Ratio(t.p)), t.n == n && t.shape.lost == 0
		})
	}
	var rows [][]string
	for _, key := range bySize[largest].keys {
		cells := []string{key}
		for _, n := range sizes() {
			y := bySize[n].tallies[key]
			if y == nil || len(y.lower) == 0 {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, multipleText(quantile(y.lower, .5))+" to "+multipleText(quantile(y.upper, .5)))
		}
		rows = append(rows, cells)
	}
	return rows
}
