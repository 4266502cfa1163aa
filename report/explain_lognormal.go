package report

import (
	"math"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// throughQuantiles is section 3.
func (e *explanation) throughQuantiles() {
	e.heading("Lognormal through two quantiles (§1)")
	if !e.Known() || e.Tail == nil {
		e.unanswered()
		return
	}
	l := e.Lognormal
	if l == nil {
		e.say("None passes: %s.", e.whyNoLognormal())
		return
	}
	switch {
	case e.Observation.QuantilesOnly:
		e.throughAll(*l)
	case e.P99LowerBound:
		e.throughBound(*l)
	default:
		z99 := latency.NormalSurvivalQuantile(p99Tail)
		e.formula("z99 = %s, mu = ln p50 = ln %s = %s", digits(z99), digits(*e.P50), digits(l.Mu))
		e.formula("sigma = ln(p99/p50)/z99 = ln(%s/%s)/%s = %s", digits(*e.P99), digits(*e.P50), digits(z99), digits(l.Sigma))
	}
	e.survivalOfLine(*l)
}

// p99Tail is the share of all values beyond p99.
const p99Tail = 0.01

func (e *explanation) whyNoLognormal() string {
	o := e.Observation
	points := o.Quantiles
	if !o.QuantilesOnly {
		if o.P50 == nil || o.P99 == nil {
			return "the server gave no p50 or no p99"
		}
		points = []latency.QuantilePoint{{P: 0.5, Seconds: *o.P50}, {P: 1 - p99Tail, Seconds: *o.P99}}
	}
	if _, err := latency.FitQuantiles(points...); err != nil {
		return err.Error()
	}
	return "p99 lies beyond the highest bucket bound, and that bound cannot stand in for it"
}

// throughBound is the line where p99 is none: through p50 and the share above
// the highest bound.
func (e *explanation) throughBound(l latency.Lognormal) {
	bound, _ := e.Tail.Merged.Quantile(1)
	tail := e.Tail.Merged.FractionAbove(bound)
	z := latency.NormalSurvivalQuantile(tail)
	e.say("p99 lies beyond the highest bound b = %s s, so the line goes through p50 and the share above b.", digits(bound))
	e.formula("z = z of the share above b, %s, = %s, mu = ln p50 = ln %s = %s", digits(tail), digits(z), digits(*e.P50), digits(l.Mu))
	e.formula("sigma = ln(b/p50)/z = ln(%s/%s)/%s = %s", digits(bound), digits(*e.P50), digits(z), digits(l.Sigma))
}

// throughAll is the line where quantiles are all that is known.
func (e *explanation) throughAll(l latency.Lognormal) {
	for _, q := range e.Observation.Quantiles {
		e.formula("at %s: z = %s, ln q = ln %s = %s", digits(q.P), digits(latency.NormalSurvivalQuantile(1-q.P)),
			digits(q.Seconds), digits(math.Log(q.Seconds)))
	}
	how := "the line ln q = mu + sigma·z through both"
	if len(e.Observation.Quantiles) > 2 {
		how = "the least squares line ln q = mu + sigma·z"
	}
	e.formula("%s: mu = %s, sigma = %s", how, digits(l.Mu), digits(l.Sigma))
}

// survivalOfLine evaluates the line at the timeout and beyond.
func (e *explanation) survivalOfLine(l latency.Lognormal) {
	if l.PointMass() {
		e.say("Both quantiles are equal: a point mass at %s s.", digits(math.Exp(l.Mu)))
	}
	if e.LognormalRatio == nil {
		e.say("There is no timeout to compare it with.")
		return
	}
	if !l.PointMass() {
		e.formula("z(T) = (ln T - mu)/sigma = (ln %s - %s)/%s = %s", digits(e.Limit), term(l.Mu), digits(l.Sigma),
			digits((math.Log(e.Limit)-l.Mu)/l.Sigma))
		e.formula("p(T) = ½·erfc((ln T - mu)/(sigma·√2)) = ½·erfc((ln %s - %s)/(%s·√2)) = %s",
			digits(e.Limit), term(l.Mu), digits(l.Sigma), share(*e.LognormalRatio))
	} else {
		e.formula("p(T) = %s", share(*e.LognormalRatio))
	}
	e.say("This is the figure that anybody can check from a dashboard. It decides nothing: see 5 for the headline and 6 for the verdict.")
}
