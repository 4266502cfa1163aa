package config

import (
	"testing"
	"time"
)

func TestScheduleGapIsTheLongestBetweenFirings(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	for _, tc := range []struct {
		spec string
		want time.Duration
	}{
		{"@every 1m", time.Minute},
		{"@every 1h30m", 90 * time.Minute},
		{"  @every   90s ", 90 * time.Second},
		{"* * * * *", time.Minute},
		{"*/7 * * * *", 7 * time.Minute},
		{"0,10,59 * * * *", 49 * time.Minute},
		{"5,10 * * * *", 55 * time.Minute},
		{"@hourly", hour},
		{"*/5 9-17 * * *", 15*hour + 5*time.Minute},
		{"@daily", day},
		{"@weekly", 7 * day},
		{"0 12 * * 1-5", 3 * day},
		{"@monthly", 31 * day},
		{"0 0 31 * *", 61 * day},
		{"* * * 1 *", 335*day + time.Minute}, // a year with a 29th of February, without its January
		{"0 0 29 2 *", 1461 * day},
		{"CRON_TZ=Asia/Kathmandu 5,10 * * * *", 55 * time.Minute}, // 5:45 from UTC
		{"TZ=UTC 0 1 * * *", day},
		{"CRON_TZ=Europe/Berlin 0 1 * * *", 25 * hour},  // the day on which clocks go back
		{"CRON_TZ=Europe/Berlin 30 2 * * *", 47 * hour}, // the hour that does not exist in March
	} {
		t.Run(tc.spec, func(t *testing.T) {
			s, err := parseSchedule(tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			if s.Gap != tc.want {
				t.Errorf("gap %v, want %v", s.Gap, tc.want)
			}
		})
	}
}

// The gap is computed from a thinned-out schedule; walking every firing is the
// slow way to the same number.
func TestScheduleGapAgreesWithWalkingEveryFiring(t *testing.T) {
	for _, spec := range []string{
		"*/7 * * * *", "1,2,30-40 3,4,20 * * *", "59 0-22/2 * * *", "*/13 8-9 * * 0", "0,59 * 1 * *", "3-57/9 5 */3 * *",
	} {
		t.Run(spec, func(t *testing.T) {
			s, err := parseSchedule(spec)
			if err != nil {
				t.Fatal(err)
			}
			at := s.Next(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
			end := at.AddDate(0, 3, 0)
			walked := time.Duration(0)
			for at.Before(end) {
				next := s.Next(at)
				walked = max(walked, next.Sub(at))
				at = next
			}
			if s.Gap != walked {
				t.Errorf("gap %v, walking gives %v", s.Gap, walked)
			}
		})
	}
}

func TestScheduleIsUTCUnlessAZoneIsNamed(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.March, 1, 10, 0, 0, 0, tokyo) // 01:00 UTC
	for spec, want := range map[string]time.Time{
		"0 12 * * *":                       time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC),
		"CRON_TZ=Asia/Tokyo 0 12 * * *":    time.Date(2026, time.March, 1, 12, 0, 0, 0, tokyo),
		"TZ=America/New_York 0 20 * * *":   time.Date(2026, time.March, 2, 1, 0, 0, 0, time.UTC),
		"CRON_TZ=Europe/Berlin @daily":     time.Date(2026, time.March, 1, 23, 0, 0, 0, time.UTC),
		"CRON_TZ=Europe/Berlin\t@every 1m": now.Add(time.Minute),
	} {
		s, err := parseSchedule(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if got := s.Next(now); !got.Equal(want) {
			t.Errorf("%s fires next at %v, want %v", spec, got, want)
		}
	}
}

func TestScheduleIsRefused(t *testing.T) {
	for _, tc := range []struct{ spec, want string }{
		{"", `must be five cron fields, a descriptor such as @hourly, or @every 1m, got "": expected exactly 5 fields, found 0: []`},
		{"TZ=UTC", "must have fields after the time zone, such as CRON_TZ=Europe/Berlin 0 * * * *, got TZ=UTC"},
		{"CRON_TZ=UTC ", "must have fields after the time zone, such as CRON_TZ=Europe/Berlin 0 * * * *, got CRON_TZ=UTC"},
		{"TZ= @daily", "must name a time zone such as CRON_TZ=Europe/Berlin, got TZ="},
		{"TZ=Local @daily", "must name a time zone such as CRON_TZ=Europe/Berlin, got TZ=Local"},
		{"CRON_TZ=Europe/Berln @daily", "must name a known time zone such as Europe/Berlin, got Europe/Berln"},
		{"TZ=../../etc/passwd @daily", "must name a known time zone such as Europe/Berlin, got ../../etc/passwd"},
		{"@every 0s", `must be at least @every 1s, got "@every 0s"`},
		{"@every 0", `must be at least @every 1s, got "@every 0"`},
		{"@every -1m", `must be at least @every 1s, got "@every -1m"`},
		{"@every 999ms", `must be at least @every 1s, got "@every 999ms"`},
		{"@every 1.5s", `must be whole seconds, got "@every 1.5s"`},
		{"@every 9000h", `must be at most @every 1y, got "@every 9000h"`},
		{"@every 1d", `must be @every and a duration in hours, minutes and seconds such as @every 1m30s, got "@every 1d"`},
		{"@every", `must be @every and a duration in hours, minutes and seconds such as @every 1m30s, got @every`},
		{"@fortnightly", "must be five cron fields, a descriptor such as @hourly, or @every 1m, got @fortnightly: unrecognized descriptor: @fortnightly"},
		{"0 0 30 2 *", `must fire at some time; no date and hour match "0 0 30 2 *"`},
		{"0 0 31 4,6,9,11 *", `must fire at some time; no date and hour match "0 0 31 4,6,9,11 *"`},
		{", * * * *", `must fire at some time; no date and hour match ", * * * *"`},
		{"* , * * *", `must fire at some time; no date and hour match "* , * * *"`},
		{"60 * * * *", `must be five cron fields, a descriptor such as @hourly, or @every 1m, got "60 * * * *": end of range (60) above maximum (59): 60`},
		{"0 0 0 * * *", `must be five cron fields, a descriptor such as @hourly, or @every 1m, got "0 0 0 * * *": expected exactly 5 fields, found 6: [0 0 0 * * *]`},
	} {
		t.Run(tc.spec, func(t *testing.T) {
			s, err := parseSchedule(tc.spec)
			if err == nil {
				t.Fatalf("accepted, gap %v", s.Gap)
			}
			if err.Error() != tc.want {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
		})
	}
}
