package chart

import (
	"math"
	"slices"
)

// frame is the part of a drawing between the axes.
type frame struct {
	left, top, right, bottom float64
}

// scale maps values to a stretch of the page. The logarithmic one clips what is
// below its lower end, 0 included.
type scale struct {
	low, high float64 // values
	from, to  float64 // coordinates
	log       bool
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(max(v, s.low)), math.Log(low), math.Log(high)
	}
	share := (v - low) / (high - low)
	return s.from + min(max(share, 0), 1)*(s.to-s.from)
}

// inside reports whether a value lies on the scale.
func (s scale) inside(v float64) bool { return v >= s.low && v <= s.high }

// ticks returns round values on a logarithmic scale: powers of ten, with
// multiples of them where few fit.
func (s scale) ticks() []float64 {
	multiples := []float64{1}
	switch decades := math.Log10(s.high / s.low); {
	case decades < 0.8:
		multiples = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	case decades < 3.5:
		multiples = []float64{1, 2, 5}
	}
	var ticks []float64
	for exponent := math.Floor(math.Log10(s.low)); exponent <= math.Ceil(math.Log10(s.high)); exponent++ {
		for _, multiple := range multiples {
			const rounding = 1e-9
			tick := multiple * math.Pow(10, exponent)
			if tick >= s.low*(1-rounding) && tick <= s.high*(1+rounding) {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// spread returns the least and the greatest of the values that a logarithmic
// scale can show; false when there is none.
func spread(values []float64) (low, high float64, ok bool) {
	usable := slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return !(v > 0) || math.IsInf(v, 1)
	})
	if len(usable) == 0 {
		return 0, 0, false
	}
	return slices.Min(usable), slices.Max(usable), true
}
