package promquery

import "math"

// unit converts the histogram's unit to seconds: seconds per unit, 1 or 0.001.
type unit float64

// seconds divides where it can: 700 / 1000 is the same number as 0.7, and
// 700 · 0.001 is not.
func (u unit) seconds(v float64) float64 {
	if u == 0 {
		return v
	}
	if per := math.Round(1 / float64(u)); per >= 1 && 1/per == float64(u) {
		return v / per
	}
	return v * float64(u)
}
