package figure

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

const unknown = "unknown"

// leastRatio is the smallest ratio that is worth its digits: one in a hundred
// million.
const leastRatio = 1e-8

// Ratio prints a ratio (0 to 1) as a percentage of three significant digits,
// never in exponent form: 0.0031585 reads "0.316%". What is below 1e-8 and above
// 0 reads "<0.000001%".
func Ratio(ratio float64) string {
	switch {
	case math.IsNaN(ratio):
		return unknown
	case 0 < ratio && ratio < leastRatio:
		return "<" + significant(leastRatio*100) + "%"
	}
	return significant(ratio*100) + "%"
}

// Seconds prints a time in seconds with three significant digits and the unit
// that suits it: 2.7457 reads "2.75s", 0.245 reads "245ms".
func Seconds(seconds float64) string {
	magnitude := math.Abs(seconds)
	switch {
	case math.IsNaN(seconds):
		return unknown
	case math.IsInf(seconds, 0) || magnitude == 0:
		return significant(seconds) + "s"
	case magnitude < 0.9995e-3:
		return significant(seconds*1e6) + "µs"
	case magnitude < 0.9995:
		return significant(seconds*1e3) + "ms"
	case magnitude < 600:
		return significant(seconds) + "s"
	}
	return model.Duration(time.Duration(math.Round(seconds)) * time.Second).String()
}

// Multiple prints a factor with three significant digits: 1.155 reads "1.16×".
func Multiple(factor float64) string {
	if math.IsNaN(factor) {
		return unknown
	}
	return significant(factor) + "×"
}

// Count prints a count rounded to a whole number, thousands apart: 1263.4 reads
// "1,263".
func Count(count float64) string {
	if math.IsNaN(count) || math.IsInf(count, 0) {
		return unknown
	}
	digits := strconv.FormatFloat(math.Abs(math.RoundToEven(count)), 'f', 0, 64)
	var grouped strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			grouped.WriteByte(',')
		}
		grouped.WriteRune(digit)
	}
	if count <= -0.5 {
		return "-" + grouped.String()
	}
	return grouped.String()
}

// significant prints x with three significant digits, plainly and without trailing
// zeros behind the point.
func significant(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
