package latency

import "math"

// slice is what one component has in one cell: the probability and the terms
// of its derivatives, φ and z·φ at both ends.
type slice struct {
	p                  float64
	phi0, phi1, z0, z1 float64 // z is 0 at an infinite end, where φ is 0
}

// smallestShare keeps the logarithm of a cell that a model leaves empty finite.
const smallestShare = 1e-300

func (l Lognormal) slice(c cell) slice {
	lower, upper := edgeAt(c.lower, l.Mu/l.Sigma, 1/l.Sigma), edgeAt(c.upper, l.Mu/l.Sigma, 1/l.Sigma)
	var s slice
	switch {
	case lower.z <= 0 && upper.z >= 0:
		s.p = 1 - lower.tail - upper.tail
	case lower.z > 0:
		s.p = lower.tail - upper.tail
	default:
		s.p = upper.tail - lower.tail
	}
	if !math.IsInf(lower.z, 0) {
		s.z0, s.phi0 = lower.z, normalDensity(lower.z)
	}
	if !math.IsInf(upper.z, 0) {
		s.z1, s.phi1 = upper.z, normalDensity(upper.z)
	}
	return s
}

func (m Mixture) logLikelihood(cells []cell) float64 {
	value := 0.0
	for _, c := range cells {
		p := (1-m.Weight)*m.First.slice(c).p + m.Weight*m.Second.slice(c).p
		value += c.count * math.Log(max(p, smallestShare))
	}
	return value
}

// splitStart gives the slowest share of the values to the second component, and
// both the moments of their log midpoints.
func splitStart(cells []cell, total, share float64) (Mixture, bool) {
	left := total * (1 - share)
	var fast, slow likelihood
	for _, c := range cells {
		taken := min(c.count, max(left, 0))
		left -= c.count
		if taken > 0 {
			fast.cells = append(fast.cells, cell{c.lower, c.upper, taken})
			fast.total += taken
		}
		if rest := c.count - taken; rest > 0 {
			slow.cells = append(slow.cells, cell{c.lower, c.upper, rest})
			slow.total += rest
		}
	}
	if fast.total <= 0 || slow.total <= 0 {
		return Mixture{}, false
	}
	return Mixture{First: fast.rough(), Second: slow.rough(), Weight: slow.total / total}, true
}

// rough returns the lognormal of the cells' log midpoints.
func (l likelihood) rough() Lognormal {
	const narrowStart = 0.1 // a split part may lie in one cell
	alpha, h := l.start()
	return Lognormal{Mu: alpha / h, Sigma: max(1/h, narrowStart)}
}

// expectationMaximization runs one step: each cell's values are shared out by
// how likely either component is to have put them there, and each component
// takes the moments of its share, E[z] = (φ(z₀) − φ(z₁))/P and E[z²] = 1 +
// (z₀φ(z₀) − z₁φ(z₁))/P inside a cell.
func (m *Mixture) expectationMaximization(cells []cell, total float64) {
	var first, second moments
	for _, c := range cells {
		a, b := m.First.slice(c), m.Second.slice(c)
		pa, pb := (1-m.Weight)*a.p, m.Weight*b.p
		if pa+pb < smallestShare {
			continue
		}
		first.add(c.count*pa/(pa+pb), a)
		second.add(c.count*pb/(pa+pb), b)
	}
	m.First, m.Second = first.update(m.First), second.update(m.Second)
	m.Weight = min(max(second.n/total, 1e-9), 1-1e-9)
}

// moments sums n, E[z] and E[z²] of a component over cells.
type moments struct {
	n, z, zz float64
}

func (m *moments) add(n float64, s slice) {
	if n <= 0 || s.p <= 0 {
		return
	}
	m.n += n
	m.z += n * (s.phi0 - s.phi1) / s.p
	m.zz += n * (1 + (s.z0*s.phi0-s.z1*s.phi1)/s.p)
}

func (m moments) update(l Lognormal) Lognormal {
	if m.n <= 0 {
		return l
	}
	mean, square := m.z/m.n, m.zz/m.n
	variance := max(square-mean*mean, 0)
	return Lognormal{Mu: l.Mu + l.Sigma*mean, Sigma: min(max(l.Sigma*math.Sqrt(variance), narrowestSigma), widestSigma)}
}

// theta is a mixture's free parameters: mu₁, ln sigma₁, mu₂, ln sigma₂ and the
// logit of the weight.
type theta [5]float64

func (m Mixture) moved(by theta) Mixture {
	scale := func(sigma, step float64) float64 {
		return min(max(sigma*math.Exp(step), narrowestSigma), widestSigma)
	}
	logit := math.Log(m.Weight/(1-m.Weight)) + by[4]
	m.First = Lognormal{Mu: m.First.Mu + by[0], Sigma: scale(m.First.Sigma, by[1])}
	m.Second = Lognormal{Mu: m.Second.Mu + by[2], Sigma: scale(m.Second.Sigma, by[3])}
	m.Weight = min(max(1/(1+math.Exp(-logit)), 1e-12), 1-1e-12)
	return m
}

// small reports whether a step is one that a quadratic may be trusted for: a
// component that has lost its values can ask for any.
func (s theta) small() bool {
	const longest = 2
	for _, x := range s {
		if !(math.Abs(x) <= longest) {
			return false
		}
	}
	return true
}

// polish climbs to the maximum next to the start, with the outer product of the
// scores as information and Levenberg's damping.
func (m *Mixture) polish(cells []cell, total float64) {
	const steps, done, softest, hardest = 200, 1e-20, 1e-9, 1e6
	m.LogLikelihood = m.logLikelihood(cells)
	damping := 1e-3
	for range steps {
		slope, info := m.scores(cells)
		step, next := theta{}, *m
		for better := false; !better; damping *= 10 {
			var ok bool
			if step, ok = solve(info, slope, damping); !ok || damping > hardest {
				return
			}
			if step.small() {
				next = m.moved(step)
				next.LogLikelihood = next.logLikelihood(cells)
				better = next.LogLikelihood >= m.LogLikelihood
			}
		}
		*m, damping = next, max(damping/100, softest)
		if step.times(slope) < done*total {
			return
		}
	}
}

func (s theta) times(t theta) float64 {
	sum := 0.0
	for i := range s {
		sum += s[i] * t[i]
	}
	return sum
}

// scores returns the slope of the log likelihood and the sum of the outer
// products of the single values' slopes.
func (m Mixture) scores(cells []cell) (slope theta, info [5]theta) {
	for _, c := range cells {
		a, b := m.First.slice(c), m.Second.slice(c)
		p := max((1-m.Weight)*a.p+m.Weight*b.p, smallestShare)
		var g theta
		g[0] = (1 - m.Weight) * (a.phi0 - a.phi1) / m.First.Sigma / p
		g[1] = (1 - m.Weight) * (a.z0*a.phi0 - a.z1*a.phi1) / p
		g[2] = m.Weight * (b.phi0 - b.phi1) / m.Second.Sigma / p
		g[3] = m.Weight * (b.z0*b.phi0 - b.z1*b.phi1) / p
		g[4] = m.Weight * (1 - m.Weight) * (b.p - a.p) / p
		for i := range g {
			slope[i] += c.count * g[i]
			for j := range g {
				info[i][j] += c.count * g[i] * g[j]
			}
		}
	}
	return slope, info
}

// solve returns x with (A + damping·diag A)·x = b by Gaussian elimination of a
// positive definite A; false where it is not.
func solve(a [5]theta, b theta, damping float64) (theta, bool) {
	for i := range a {
		a[i][i] *= 1 + damping
	}
	for i := range a {
		if !(a[i][i] > 0) {
			return theta{}, false
		}
		for j := i + 1; j < len(a); j++ {
			factor := a[j][i] / a[i][i]
			for k := i; k < len(a); k++ {
				a[j][k] -= factor * a[i][k]
			}
			b[j] -= factor * b[i]
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := i + 1; k < len(a); k++ {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b, true
}
