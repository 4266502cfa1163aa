package config

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
	_ "time/tzdata" // zones are known in images that have none

	"github.com/robfig/cron/v3"
)

// longestEvery keeps three times the interval within a time.Duration.
const longestEvery = 365 * 24 * time.Hour

// parseSchedule reads a schedule: five cron fields, a descriptor such as
// @hourly, or @every with a duration. A prefix CRON_TZ=Zone (or TZ=Zone) names
// the zone, which is UTC otherwise. The error begins with a verb: "must be …".
func parseSchedule(spec string) (Schedule, error) {
	zoned, err := withZone(spec)
	if err != nil {
		return Schedule{}, err
	}
	if err := checkEvery(zoned); err != nil {
		return Schedule{}, err
	}
	parsed, err := cron.ParseStandard(zoned)
	if err != nil {
		return Schedule{}, fmt.Errorf("must be five cron fields, a descriptor such as @hourly, or @every 1m, got %s: %w", show(spec), err)
	}
	gap := longestGap(parsed)
	if gap <= 0 {
		return Schedule{}, fmt.Errorf("must fire at some time; no date and hour match %s", show(spec))
	}
	return Schedule{Spec: spec, Schedule: parsed, Gap: gap}, nil
}

// withZone gives the schedule a zone where it has none. The cron library takes
// the machine's own then, and it panics on a zone without a space behind it.
func withZone(spec string) (string, error) {
	spec = strings.Join(strings.Fields(spec), " ")
	zone, fields, _ := strings.Cut(spec, " ")
	_, name, _ := strings.Cut(zone, "=")
	switch {
	case !strings.HasPrefix(zone, "TZ=") && !strings.HasPrefix(zone, "CRON_TZ="):
		return "CRON_TZ=UTC " + spec, nil
	case fields == "":
		return "", fmt.Errorf("must have fields after the time zone, such as CRON_TZ=Europe/Berlin 0 * * * *, got %s", show(spec))
	case name == "" || name == "Local":
		return "", fmt.Errorf("must name a time zone such as CRON_TZ=Europe/Berlin, got %s", show(zone))
	}
	if _, err := time.LoadLocation(name); err != nil {
		return "", fmt.Errorf("must name a known time zone such as Europe/Berlin, got %s", show(name))
	}
	return "CRON_TZ=" + name + " " + fields, nil
}

// checkEvery refuses the intervals that the cron library would silently round:
// whatever is below a second becomes one, and fractions are cut off.
func checkEvery(zoned string) error {
	_, fields, _ := strings.Cut(zoned, " ")
	text, isEvery := strings.CutPrefix(fields, "@every")
	if !isEvery {
		return nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	switch {
	case err != nil:
		return fmt.Errorf("must be @every and a duration in hours, minutes and seconds such as @every 1m30s, got %s", show(fields))
	case d < time.Second:
		return fmt.Errorf("must be at least @every 1s, got %s", show(fields))
	case d > longestEvery:
		return fmt.Errorf("must be at most @every %s, got %s", spell(longestEvery), show(fields))
	case d%time.Second != 0:
		return fmt.Errorf("must be whole seconds, got %s", show(fields))
	}
	return nil
}

// longestGap is the longest time between two firings, or 0 where there are no
// firings. It looks at the five years from 2024 on, which hold two 29ths of
// February, and at one year only where every day is alike but for the clock
// changes of the zone: a daily run may be 25 hours apart, and one at an hour
// that a change skips 47.
func longestGap(schedule cron.Schedule) time.Duration {
	if every, ok := schedule.(cron.ConstantDelaySchedule); ok {
		return every.Delay
	}
	spec, ok := schedule.(*cron.SpecSchedule)
	if !ok || spec.Minute&^starBit == 0 {
		return 0
	}
	start := time.Date(2024, time.January, 1, 0, 0, 0, 0, spec.Location)
	end := start.AddDate(5, 0, 0)
	if spec.Dom&spec.Dow&spec.Month&starBit != 0 {
		end = start.AddDate(1, 0, 2)
	}
	// Of the minutes in an hour, gaps between hours depend on the first and the
	// last only. Dropping the others keeps the walk to two steps an hour.
	first, last := bits.TrailingZeros64(spec.Minute), 63-bits.LeadingZeros64(spec.Minute&^starBit)
	ends := *spec
	ends.Minute = 1<<first | 1<<last

	at := ends.Next(start)
	if at.IsZero() {
		return 0
	}
	gap := gapWithinHour(spec.Minute)
	for next := at; !at.After(end); at = next {
		if next = ends.Next(at); next.IsZero() {
			break
		}
		withinHour := at.Minute() == first && next.Minute() == last && next.Sub(at) < time.Hour
		if !withinHour {
			gap = max(gap, next.Sub(at))
		}
	}
	return gap
}

// starBit is how the cron library marks a field that says *.
const starBit = 1 << 63

// gapWithinHour is the longest gap between neighbouring minutes of an hour.
func gapWithinHour(minutes uint64) time.Duration {
	gap, prior := 0, -1
	for minute := range 60 {
		if minutes&(1<<minute) == 0 {
			continue
		}
		if prior >= 0 {
			gap = max(gap, minute-prior)
		}
		prior = minute
	}
	return time.Duration(gap) * time.Minute
}
