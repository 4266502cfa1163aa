package calc

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// Level grades a false-timeout ratio per attempt (docs/model.md §1).
type Level string

// The levels and where they begin.
const (
	LevelOK    Level = "ok"
	LevelAmber Level = "amber" // 0.5% and more
	LevelRed   Level = "red"   // 2% and more

	amberFrom = 0.005
	redFrom   = 0.02
)

// LevelOf grades a false-timeout ratio; one that is not a number is red.
func LevelOf(falseTimeoutRatio float64) Level {
	switch {
	case falseTimeoutRatio < amberFrom:
		return LevelOK
	case falseTimeoutRatio < redFrom:
		return LevelAmber
	}
	return LevelRed
}

// percent writes a ratio with two decimals above 1%, three below, and as many
// as its first digit needs where it would read as zero: 19.53%, 0.316%, 0.0002%.
func percent(ratio float64) string {
	if ratio >= 0.010005 {
		return percentOf(ratio, 2)
	}
	return percentOf(ratio, 3)
}

// percentOf writes a ratio with the given decimals: more where it would read as
// zero without being zero, none for 0 and 1 themselves.
func percentOf(ratio float64, decimals int) string {
	if ratio == 0 || ratio == 1 {
		decimals = 0
	}
	text := strconv.FormatFloat(ratio*100, 'f', decimals, 64)
	if ratio > 0 && strings.Trim(text, "0.") == "" {
		return firstDigit(ratio*100) + "%"
	}
	return text + "%"
}

// firstDigit writes x rounded to one digit, without exponent.
func firstDigit(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 1, 64), 64)
	if err != nil {
		rounded = x
	}
	if rounded < 1e-12 {
		return strconv.FormatFloat(x, 'g', 1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// perDay writes calls a day: whole ones, or less than ten with two digits.
func perDay(calls float64) string {
	if calls >= 9.95 || calls == 0 {
		return figure.Count(calls) + " a day"
	}
	if calls < 0.005 {
		return "under 0.01 a day"
	}
	return strconv.FormatFloat(calls, 'f', 2, 64) + " a day"
}

// times writes a product of attempts: exactly, unless no one could read it.
func times(factor float64) string {
	const readable = 1e9
	if factor >= readable {
		return strconv.FormatFloat(factor, 'g', 3, 64) + "×"
	}
	return figure.Count(factor) + "×"
}

func plain(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// seconds writes input as it was given: as a Go duration.
func seconds(x float64) string {
	if math.IsNaN(x) || math.Abs(x) >= math.MaxInt64/float64(time.Second) {
		return plain(x)
	}
	return time.Duration(math.Round(x * float64(time.Second))).String()
}

// fourDigits writes a time in milliseconds or seconds with four digits, for
// timeouts that somebody may want to type: 512ms, 1.099s.
func fourDigits(x float64) string {
	if x <= 0 || math.IsInf(x, 1) {
		return seconds(x)
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-3)
	return seconds(math.Round(x/unit) * unit)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	plural := noun + "s"
	if strings.HasSuffix(noun, "y") {
		plural = strings.TrimSuffix(noun, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + plural
}
