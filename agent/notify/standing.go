package notify

import (
	"time"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// resolveRepeats is how often a resolved alert is sent again after the first
// time, once with each report.
const resolveRepeats = 3

// standing is what was said to Alertmanagers and still matters: the alerts that
// fire, and those that have cleared a little while ago.
type standing struct {
	firing  map[string]Alert
	cleared map[string]goodbye
}

// goodbye is a resolved alert and how often it is still to be sent.
type goodbye struct {
	alert Alert
	left  int
}

// view is a report's findings, as they are to be told.
type view struct {
	findings []rules.Finding
	at       time.Time // the moment that the findings are about
	now      time.Time // by which the alerts start and end
	until    time.Time // when they end, if nothing more is heard
}

// update compares what stands now with what stood, and returns all there is to
// say: every alert that fires, and those that have cleared. A finding fires
// once it has stood for its rule's time, and then for as long as it stands.
func (s *standing) update(v view, p *Plan, l links) []Alert {
	firing := map[string]Alert{}
	var alerts []Alert
	for _, f := range v.findings {
		rule, judged := p.rules[f.Rule]
		if !judged {
			continue
		}
		alert := newAlert(f, rule, p.external, l)
		_, fired := s.firing[alert.key]
		if _, twice := firing[alert.key]; twice || !fired && v.at.Sub(f.Since) < rule.For {
			continue
		}
		alert = alert.firing(v.now, v.until)
		firing[alert.key] = alert
		alerts = append(alerts, alert)
	}
	return append(alerts, s.settle(firing, v.now)...)
}

// settle makes firing the present, and returns what has cleared.
func (s *standing) settle(firing map[string]Alert, now time.Time) []Alert {
	cleared := map[string]goodbye{}
	for key, g := range s.cleared {
		if _, again := firing[key]; !again && g.left > 0 {
			cleared[key] = goodbye{g.alert, g.left - 1}
		}
	}
	for key, alert := range s.firing {
		if _, still := firing[key]; !still {
			cleared[key] = goodbye{alert.cleared(now), resolveRepeats}
		}
	}
	s.firing, s.cleared = firing, cleared
	var alerts []Alert
	for _, g := range cleared {
		alerts = append(alerts, g.alert)
	}
	return alerts
}

// recall takes findings of the time before a restart for told, so that what has
// cleared meanwhile is resolved. Nothing is sent for it.
func (s *standing) recall(findings []rules.Finding, p *Plan, l links) {
	if s.firing == nil {
		s.firing = map[string]Alert{}
	}
	for _, f := range findings {
		if rule, judged := p.rules[f.Rule]; judged {
			alert := newAlert(f, rule, p.external, l)
			s.firing[alert.key] = alert
		}
	}
}
