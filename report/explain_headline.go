package report

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// headline works out the point estimate by the method that was chosen.
func (e *explanation) headline() {
	t := e.Tail
	from := e.chosen()
	e.say("Headline: p = %s, from reading %q: %s (§4).", share(t.Point), from.Recording, t.Method)
	switch t.Method {
	case latency.MethodCounted:
		sure, _ := t.Merged.CountAbove(t.Timeout)
		e.formula("p = above/count = %s/%s = %s", digits(sure), digits(t.Counted), digits(sure/t.Counted))
	case latency.MethodMeasured:
		e.formula("p = timeouts/attempts = %s/%s = %s", digits(from.Now.Above), digits(from.Now.Total), digits(from.Now.Above/from.Now.Total))
	case latency.MethodCalibrated, latency.MethodCalibratedPair:
		e.calibrated()
	case latency.MethodLocalProbit:
		e.localProbit(from)
	case latency.MethodCensored:
		if fit, err := latency.FitCensored(t.Merged, t.Timeout); err == nil {
			e.fromFit(fit, "greatest likelihood with all bins that reach T as one open bin")
		}
	case latency.MethodTruncated:
		e.truncated()
	case latency.MethodConservative:
		e.say("No lognormal fits the bins below T, so no more is expected above it than was counted there. The upper limit is that of a lognormal of sigma 2 from the last bin with values on; where that bin reaches T, anything is possible.")
	}
}

// chosen is the reading that the headline is from.
func (e *explanation) chosen() latency.Reading {
	for _, r := range e.Tail.Readings {
		if r.Point == e.Tail.Point && r.Method == e.Tail.Method {
			return r
		}
	}
	return e.Tail.Readings[0]
}

// bracketed prints a method's result, which may not leave the hard bracket.
func (e *explanation) bracketed(result float64) {
	if !near(result, e.Tail.Point) {
		e.formula("%s, kept inside what the counts allow: %s", digits(result), share(e.Tail.Point))
	}
}

// fromFit evaluates a fitted lognormal at T.
func (e *explanation) fromFit(fit latency.BinnedFit, how string) {
	t := e.Tail.Timeout
	e.formula("%s: mu = %s ± %s, sigma = %s ± %s (standard errors)", how,
		digits(fit.Mu), digits(fit.SEMu), digits(fit.Sigma), digits(fit.SESigma))
	e.formula("p(T) = ½·erfc((ln %s - %s)/(%s·√2)) = %s", digits(t), term(fit.Mu), digits(fit.Sigma), digits(fit.Survival(t)))
	e.bracketed(fit.Survival(t))
}

// truncated shows the fit of all bins below T where that is the one used.
func (e *explanation) truncated() {
	fit, err := latency.FitTruncated(e.Tail.Merged, e.Tail.Timeout)
	if err == nil && near(fit.Survival(e.Tail.Timeout), e.Tail.Point) {
		e.fromFit(fit, "greatest likelihood of the bins up to T, given that nothing above was recorded")
		return
	}
	e.say("The bins below T as a whole are no lognormal, so it is fitted to the slowest of them, or kept inside what the counts allow.")
}

// around is the bounds and shares that T lies between.
type around struct {
	low, high           float64 // seconds
	aboveLow, aboveHigh float64 // shares
}

func sharesAround(h latency.Histogram, bin int) around {
	b, total := h.Bins[bin], h.Total()
	a := around{low: max(b.Lower, 0), high: b.Upper}
	for _, higher := range h.Bins[bin+1:] {
		a.aboveHigh += higher.Count / total
	}
	a.aboveLow = a.aboveHigh + b.Count/total
	return a
}

// survivor is a fitted distribution: one lognormal or two.
type survivor = func(t float64) float64

func (e *explanation) calibrated() {
	t := e.Tail
	bin := binAround(t.Merged, t.Timeout)
	if t.Fit == nil || bin < 0 {
		return
	}
	m := t.Fit.Survival
	e.singleFit()
	if t.Method == latency.MethodCalibratedPair {
		pair, err := latency.FitMixture(t.Merged)
		if err != nil {
			return
		}
		m = pair.Survival
		e.twoFits(pair)
	}
	n := sharesAround(t.Merged, bin)
	low, at, high := m(n.low), m(t.Timeout), m(n.high)
	e.formula("b0 = %s s and b1 = %s s lie around T; counted shares above: S(b0) = %s, S(b1) = %s", digits(n.low), digits(n.high), digits(n.aboveLow), digits(n.aboveHigh))
	e.formula("the model's shares above: M(b0) = %s, M(T) = %s, M(b1) = %s", digits(low), digits(at), digits(high))
	result := n.aboveHigh + (n.aboveLow-n.aboveHigh)*(at-high)/(low-high)
	e.formula("p = S(b1) + (S(b0) - S(b1))·(M(T) - M(b1))/(M(b0) - M(b1)) = %s + (%s - %s)·(%s - %s)/(%s - %s) = %s",
		digits(n.aboveHigh), digits(n.aboveLow), digits(n.aboveHigh), digits(at), digits(high), digits(low), digits(high), digits(result))
	e.bracketed(result)
}

// singleFit shows the lognormal of greatest likelihood and its two tests.
func (e *explanation) singleFit() {
	fit := e.Tail.Fit
	if fit == nil {
		return
	}
	e.formula("one lognormal of greatest likelihood: mu = %s, sigma = %s, that is a median of %s s", digits(fit.Mu), digits(fit.Sigma), digits(math.Exp(fit.Mu)))
	e.formula("its largest distance from the counted shares: %s (below 0.01 passes)", digits(fit.Misfit.KS))
	if fit.Misfit.TailRatio > 0 {
		e.formula("tail test: above %s s there are %s times as many as it has; with the 99.9%% lower limit up to %s times (below 1.25 passes)",
			digits(fit.Misfit.TailRatioAt), digits(fit.Misfit.TailRatio), digits(fit.Misfit.TailRatioLower))
	}
}

func (e *explanation) twoFits(pair latency.Mixture) {
	e.formula("two lognormals: %s of all with mu = %s, sigma = %s (median %s s), %s with mu = %s, sigma = %s (median %s s)",
		figure.Ratio(1-pair.Weight), digits(pair.First.Mu), digits(pair.First.Sigma), digits(math.Exp(pair.First.Mu)),
		figure.Ratio(pair.Weight), digits(pair.Second.Mu), digits(pair.Second.Sigma), digits(math.Exp(pair.Second.Mu)))
	first, second := pair.First.Survival(e.Tail.Timeout), pair.Second.Survival(e.Tail.Timeout)
	e.formula("together above T: %s·%s + %s·%s = %s", digits(1-pair.Weight), digits(first),
		digits(pair.Weight), digits(second), digits(pair.Survival(e.Tail.Timeout)))
}

// localProbit shows the line through two neighbouring bounds. The recorded
// reading has only bounds below T to go by.
func (e *explanation) localProbit(from latency.Reading) {
	h, t := e.Tail.Merged, e.Tail.Timeout
	if from.Recording == latency.RecordingRecorded {
		e.say("Bins that reach T may hold attempts cut off, so they count as one open bin and the line goes through the last two bounds below.")
		h = openFrom(h, t)
	}
	p, lower, upper := latency.LocalProbit(h, t)
	line, found := lineOf(h, t)
	if !found {
		e.formula("no line through two bounds serves: p = %s, as Prometheus interpolates inside the bin", digits(p))
		e.bracketed(p)
		return
	}
	n := line.around
	e.formula("b0 = %s s has a share of %s above it, z0 = %s; b1 = %s s has %s, z1 = %s (a share of 0 counts as half a value)",
		digits(n.low), digits(n.aboveLow), digits(line.z0), digits(n.high), digits(n.aboveHigh), digits(line.z1))
	at := line.at(t)
	e.formula("z(T) = z0 + (z1 - z0)·ln(T/b0)/ln(b1/b0) = %s + (%s - %s)·ln(%s/%s)/ln(%s/%s) = %s",
		digits(line.z0), digits(line.z1), term(line.z0), digits(t), digits(n.low), digits(n.high), digits(n.low), digits(at))
	e.formula("p = ½·erfc(z(T)/√2) = ½·erfc(%s/√2) = %s", digits(at), digits(latency.NormalSurvival(at)))
	if !near(latency.NormalSurvival(at), p) {
		e.formula("kept between the shares around T, %s and %s: p = %s", digits(lower), digits(upper), digits(p))
	}
	e.bracketed(p)
}

// probitLine is z of the share above two bounds, a line in log time.
type probitLine struct {
	around
	z0, z1 float64
}

func (l probitLine) at(t float64) float64 {
	return l.z0 + (l.z1-l.z0)*math.Log(t/l.low)/math.Log(l.high/l.low)
}

// lineOf finds the bounds that latency.LocalProbit went through: those of the
// bin that holds t or, where they have no share or no end, of a neighbour. It
// is the line that gives LocalProbit's figure.
func lineOf(h latency.Histogram, t float64) (probitLine, bool) {
	p, lower, upper := latency.LocalProbit(h, t)
	bin := binAround(h, t)
	if bin < 0 {
		return probitLine{}, false
	}
	half := 0.5 / (h.Total() + 1)
	z := func(share float64) float64 { return latency.NormalSurvivalQuantile(min(max(share, half), 1-half)) }
	for _, i := range []int{bin, bin - 1, bin + 1} {
		if i < 0 || i >= len(h.Bins) || h.Bins[i].Lower <= 0 || math.IsInf(h.Bins[i].Upper, 1) {
			continue
		}
		n := sharesAround(h, i)
		line := probitLine{n, z(n.aboveLow), z(n.aboveHigh)}
		if near(min(max(latency.NormalSurvival(line.at(t)), lower), upper), p) {
			return line, true
		}
	}
	return probitLine{}, false
}

// openFrom is the histogram with all bins that reach t as one open bin.
func openFrom(h latency.Histogram, t float64) latency.Histogram {
	_, reach := h.CountAbove(justBelow(t))
	open := latency.Histogram{Scheme: h.Scheme}
	last := latency.Bin{Lower: t, Upper: math.Inf(1), Count: reach}
	for _, b := range h.Bins {
		if b.Upper <= justBelow(t) {
			open.Bins = append(open.Bins, b)
			continue
		}
		last.Lower = min(last.Lower, max(b.Lower, 0))
	}
	open.Bins = append(open.Bins, last)
	return open
}

// besideLognormal says why the headline is not the figure of section 3.
func (e *explanation) besideLognormal() {
	if e.LognormalRatio == nil {
		return
	}
	t, line := e.Tail, *e.LognormalRatio
	factor := "no multiple of it"
	if line > 0 {
		factor = figure.Multiple(t.Point/line) + " it"
	}
	e.say("The two-quantile figure of 3 is %s; the headline is %s.", share(line), factor)
	if !(t.Counted > 0) {
		return
	}
	pair, two := e.twoModes()
	e.shareTable(pair, two)
	if t.Method != latency.MethodCalibrated && t.Method != latency.MethodCalibratedPair {
		e.singleFit()
	}
	if two && t.Method != latency.MethodCalibratedPair {
		e.twoFits(pair)
	}
	switch {
	case line > 0 && math.Abs(t.Point/line-1) <= 0.1:
		e.say("The two agree here: around T the line follows the counts.")
	case two:
		e.say("Two lognormals follow the counts where one does not: two modes, or a heavy tail. A line through p50 and p99 meets the counts at those two ranks only; between and beyond them it invents a slope that neither of them has. Trust the counted column.")
	case t.Fit != nil && t.Fit.Misfit.UnderstatesTail():
		e.say("The tail is heavier than a lognormal's: the line through p50 and p99 leaves the counts beyond p99. Trust the counted column.")
	default:
		e.say("The line meets the counts at p50 and p99 only. Where T lies away from both, the counted column says by how much the line is off.")
	}
}

// twoModes returns two lognormals where one does not pass and they do
// (docs/model.md §4).
func (e *explanation) twoModes() (latency.Mixture, bool) {
	fit := e.Tail.Fit
	if fit == nil || fit.Misfit.Passes() {
		return latency.Mixture{}, false
	}
	pair, err := latency.FitMixture(e.Tail.Merged)
	return pair, err == nil && pair.Chosen(*fit) && pair.Separated()
}

// shareTable sets the counted shares above each bound beside the models'.
func (e *explanation) shareTable(pair latency.Mixture, two bool) {
	t := e.Tail
	header := []string{"bound in s", "counted share above", "line of 3"}
	models := []survivor{e.Lognormal.Survival}
	if t.Fit != nil {
		header, models = append(header, "one fit"), append(models, t.Fit.Survival)
	}
	if two {
		header, models = append(header, "two fits"), append(models, pair.Survival)
	}
	rows := [][]string{header}
	total, above := t.Merged.Total(), t.Merged.Total()
	for _, b := range t.Merged.Bins {
		before := above
		above = restAbove(above-b.Count, total)
		if before <= 0 || math.IsInf(b.Upper, 1) || b.Upper <= 0 {
			continue
		}
		row := []string{digits(b.Upper), digits(above / total)}
		for _, m := range models {
			row = append(row, digits(m(b.Upper)))
		}
		rows = append(rows, row)
	}
	if len(rows) > mostBins {
		rows = append(rows[:1], rows[len(rows)-mostBins:]...)
	}
	e.table(rows)
}
