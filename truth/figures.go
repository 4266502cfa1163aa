package main

import (
	"math"
	"strconv"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// factorText prints a factor error with three significant digits.
func factorText(x float64) string {
	const most = 1000
	switch {
	case math.IsNaN(x):
		return "–"
	case x > most:
		return "> " + strconv.Itoa(most)
	}
	return strconv.FormatFloat(round(x, 3), 'f', -1, 64)
}

// round keeps so many significant digits.
func round(x float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return rounded
}

// shareText prints k of n as a percentage, and a bare 0 only where it is one.
func shareText(k, n int) string {
	if n == 0 {
		return "–"
	}
	return figure.Ratio(float64(k) / float64(n))
}

// numberText prints a rate with two significant digits.
func numberText(x float64) string { return strconv.FormatFloat(round(x, 2), 'f', -1, 64) }

// multipleText prints a multiple with two decimals, or two significant digits
// where that is more.
func multipleText(x float64) string {
	if x < .1 {
		return numberText(x)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}
