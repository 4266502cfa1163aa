package latency

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// The reasons why no lognormal passes through given quantiles, or why a timeout
// cannot be compared with one.
var (
	ErrTooFewQuantiles       = errors.New("two quantiles at different ranks are needed")
	ErrQuantileRank          = errors.New("a quantile's rank must lie between 0 and 1")
	ErrNaNQuantile           = errors.New("a quantile is NaN")
	ErrInfiniteQuantile      = errors.New("a quantile is infinite")
	ErrNonPositiveQuantile   = errors.New("a quantile must be above 0")
	ErrNonMonotonicQuantiles = errors.New("a higher quantile is below a lower one")
	ErrNonPositiveTimeout    = errors.New("a timeout must be above 0")
)

// Lognormal is the distribution of X where ln X, X in seconds, is normal with
// mean Mu and standard deviation Sigma. Sigma 0 is a point mass at exp(Mu).
type Lognormal struct {
	Mu, Sigma float64
}

// QuantilePoint says that a share P of all values, 0 < P < 1, is at most
// Seconds.
type QuantilePoint struct {
	P, Seconds float64
}

// FitQuantiles returns the lognormal through two quantiles, or the least
// squares line of ln q on z through more of them (docs/model.md §1). Equal
// quantiles give a point mass. Each way of having no answer is an error of its
// own, to be told apart with errors.Is.
func FitQuantiles(points ...QuantilePoint) (Lognormal, error) {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b QuantilePoint) int { return cmp.Compare(a.P, b.P) })
	for i, p := range points {
		if err := p.check(); err != nil {
			return Lognormal{}, err
		}
		if i > 0 && p.Seconds < points[i-1].Seconds {
			return Lognormal{}, fmt.Errorf("%w: %g at %g is below %g at %g",
				ErrNonMonotonicQuantiles, p.Seconds, p.P, points[i-1].Seconds, points[i-1].P)
		}
	}
	if len(points) < 2 || points[0].P == points[len(points)-1].P {
		return Lognormal{}, ErrTooFewQuantiles
	}
	if points[0].Seconds == points[len(points)-1].Seconds {
		return Lognormal{Mu: math.Log(points[0].Seconds)}, nil
	}
	l := lineThrough(points)
	if math.IsNaN(l.Mu) || math.IsInf(l.Sigma, 0) {
		return Lognormal{}, fmt.Errorf("%w: %g and %g are too close", ErrTooFewQuantiles, points[0].P, points[len(points)-1].P)
	}
	return l, nil
}

func (p QuantilePoint) check() error {
	switch {
	case math.IsNaN(p.P) || p.P <= 0 || p.P >= 1:
		return fmt.Errorf("%w, got %g", ErrQuantileRank, p.P)
	case math.IsNaN(p.Seconds):
		return fmt.Errorf("%w: the one at %g", ErrNaNQuantile, p.P)
	case math.IsInf(p.Seconds, 1):
		return fmt.Errorf("%w: the one at %g", ErrInfiniteQuantile, p.P)
	case p.Seconds <= 0:
		return fmt.Errorf("%w, got %g at %g", ErrNonPositiveQuantile, p.Seconds, p.P)
	}
	return nil
}

// lineThrough fits ln q = mu + sigma·z by least squares. Two points are met
// exactly: taken from the first one, so that a median gives mu to the last bit.
func lineThrough(points []QuantilePoint) Lognormal {
	score := func(p QuantilePoint) float64 { return NormalSurvivalQuantile(1 - p.P) }
	if len(points) == 2 {
		z := score(points[0])
		sigma := logRatio(points[1].Seconds, points[0].Seconds) / (score(points[1]) - z)
		return Lognormal{Mu: logOf(points[0].Seconds) - sigma*z, Sigma: sigma}
	}
	n := float64(len(points))
	var meanZ, meanY, zz, zy float64
	for _, p := range points {
		meanZ += score(p) / n
		meanY += logOf(p.Seconds) / n
	}
	for _, p := range points {
		z := score(p) - meanZ
		zz += z * z
		zy += z * (logOf(p.Seconds) - meanY)
	}
	sigma := zy / zz
	return Lognormal{Mu: meanY - sigma*meanZ, Sigma: sigma}
}

// logRatio returns ln(a/b) where a/b itself may overflow.
func logRatio(a, b float64) float64 {
	if ratio := a / b; ratio > 1e-300 && ratio < 1e300 {
		return math.Log(ratio)
	}
	return logOf(a) - logOf(b)
}

// PointMass reports whether all the mass lies on one value, exp(Mu).
func (l Lognormal) PointMass() bool { return l.Sigma == 0 }

// score returns how many standard deviations ln t lies above Mu.
func (l Lognormal) score(t float64) float64 {
	switch y := math.Log(max(t, 0)) - l.Mu; {
	case !l.PointMass():
		return y / l.Sigma
	case y < 0:
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// Survival returns P(X > t), t in seconds: ½·erfc((ln t − Mu)/(Sigma·√2)).
func (l Lognormal) Survival(t float64) float64 { return NormalSurvival(l.score(t)) }

// LogSurvival returns ln P(X > t), also where Survival underflows.
func (l Lognormal) LogSurvival(t float64) float64 { return NormalLogSurvival(l.score(t)) }

// FalseTimeoutRatio returns P(X > timeout), the share of attempts that are cut
// off although their reply would have come. An infinite timeout cuts nothing
// off; one that is NaN or not above 0 is ErrNonPositiveTimeout.
func (l Lognormal) FalseTimeoutRatio(timeout float64) (float64, error) {
	if math.IsNaN(timeout) || timeout <= 0 {
		return 0, fmt.Errorf("%w, got %g", ErrNonPositiveTimeout, timeout)
	}
	return l.Survival(timeout), nil
}

// Quantile returns the t in seconds with P(X > t) = upperTail. It takes the
// tail and not the rank, because 1 − 1e-17 is 1.
func (l Lognormal) Quantile(upperTail float64) float64 {
	if l.PointMass() && upperTail >= 0 && upperTail <= 1 {
		return math.Exp(l.Mu)
	}
	return math.Exp(l.Mu + l.Sigma*NormalSurvivalQuantile(upperTail))
}

// LimitedMean returns E[min(X, t)] in seconds, the mean time that an attempt
// takes under the timeout t: exp(mu + sigma²/2)·Φ((ln t − mu − sigma²)/sigma)
// + t·S(t) (docs/model.md §5). At t = +Inf it is the mean.
func (l Lognormal) LimitedMean(t float64) float64 {
	switch {
	case math.IsNaN(t) || t <= 0:
		return 0
	case l.PointMass():
		return min(math.Exp(l.Mu), t)
	}
	// In logs, since the mean overflows for a large sigma where Φ underflows.
	below := math.Exp(l.Mu + l.Sigma*l.Sigma/2 + NormalLogSurvival(l.Sigma-l.score(t)))
	if math.IsInf(t, 1) {
		return below
	}
	return below + t*l.Survival(t)
}

// LostFloor returns the share of attempts that no timeout saves, because the
// request is lost or, when it is not, its reply: 1 − (1−a)(1−b). No percentile
// of a latency shows it.
func LostFloor(lostRequests, lostReplies float64) float64 {
	return lostRequests + lostReplies*(1-lostRequests)
}

// MeanBelow returns E[X | X ≤ t] in seconds, the mean time of attempts that are
// not cut off by the timeout t, and t where nothing comes that soon. derivation:
// exp(mu + sigma²/2)·Φ((ln t − mu − sigma²)/sigma) ÷ Φ((ln t − mu)/sigma). At
// t = +Inf it is the mean.
func (l Lognormal) MeanBelow(t float64) float64 {
	switch {
	case math.IsNaN(t) || t <= 0:
		return 0
	case l.PointMass():
		return min(math.Exp(l.Mu), t)
	}
	// In logs, since deep in the lower tail both integrals underflow.
	z := l.score(t)
	return min(math.Exp(l.Mu+l.Sigma*l.Sigma/2+NormalLogSurvival(l.Sigma-z)-NormalLogSurvival(-z)), t)
}
