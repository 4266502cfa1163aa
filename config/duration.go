package config

import (
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// span bounds a duration.
type span struct {
	min, max time.Duration // a max of 0 is none
	above    bool          // min itself is out
	fine     bool          // fractions and microseconds too, as Go spells them
}

// duration reads a duration: Prometheus's (1h30m, 5m, 1d) and, where the span
// is fine, Go's (1.5s, 250us). A number without a unit is refused.
func (v value) duration(s span) (time.Duration, bool) {
	want := "a duration such as 5m"
	if s.fine {
		want = "a duration such as 250ms"
	}
	text, ok := v.scalar(want)
	if !ok {
		return 0, false
	}
	d, ok := parseDuration(text, s.fine)
	switch {
	case ok:
		return d, v.inSpan(d, s)
	case v.isNumber() && strings.HasPrefix(text, "-"):
		return 0, v.inSpan(-1, s)
	case v.isNumber():
		v.refuse("must have a unit%s%s", v.got(), guess(text+"s", s.fine))
	default:
		v.refuse("must be %s%s%s", want, v.got(), guess(text, s.fine))
	}
	return 0, false
}

// inSpan refuses what is out of bounds.
func (v value) inSpan(d time.Duration, s span) bool {
	switch {
	case s.above && d <= s.min:
		v.refuse("must be above %s%s", spell(s.min), v.got())
	case d < s.min:
		v.refuse("must be at least %s%s", spell(s.min), v.got())
	case s.max > 0 && d > s.max:
		v.refuse("must be at most %s%s", spell(s.max), v.got())
	default:
		return true
	}
	return false
}

// parseDuration takes negative durations too, for the bounds to refuse.
func parseDuration(text string, fine bool) (time.Duration, bool) {
	if d, err := model.ParseDurationAllowNegative(text); err == nil {
		return time.Duration(d), true
	}
	if fine {
		if d, err := time.ParseDuration(text); err == nil {
			return d, true
		}
	}
	return 0, false
}

// guess offers the spelling that was probably meant.
func guess(text string, fine bool) string {
	tidy := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	if d, ok := parseDuration(tidy, fine); ok && d > 0 {
		return "; " + tidy + "?"
	}
	if d, err := time.ParseDuration(tidy); err == nil && d >= time.Millisecond {
		return "; " + model.Duration(d).String() + "?"
	}
	return ""
}

// spell writes a duration the way people do: 0, 1.5s, 1m30s, 24h, 30d.
func spell(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Minute || d%time.Millisecond != 0:
		return d.String()
	case d%time.Hour == 0 && d <= 48*time.Hour:
		return strings.TrimSuffix(d.String(), "0m0s")
	}
	return model.Duration(d).String()
}

func duration[T any](s span, field func(*T) *time.Duration) func(value, *T) {
	return func(v value, into *T) {
		if d, ok := v.duration(s); ok {
			*field(into) = d
		}
	}
}
