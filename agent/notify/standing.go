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

// view is what is found, as it is to be told.
type view struct {
	findings []rules.Finding
	troubles []Trouble
	at       time.Time // the moment that it is about
	now      time.Time // by which the alerts start and end
	until    time.Time // when they end, if nothing more is heard
}

// candidate is an alert that fires once it has stood for its rule's time.
type candidate struct {
	alert      Alert
	stood, For time.Duration
}

func (v view) candidates(p *Plan, l links) []candidate {
	var all []candidate
	for _, f := range v.findings {
		if rule, judged := p.rules[f.Rule]; judged {
			all = append(all, candidate{newAlert(f, rule, p.external, l), v.at.Sub(f.Since), rule.For})
		}
	}
	for _, t := range v.troubles {
		if rule, known := p.itself[t.Alert]; known {
			all = append(all, candidate{newTrouble(t, rule, p.external, l), v.at.Sub(t.Since), time.Duration(rule.For)})
		}
	}
	return all
}

// update compares what stands now with what stood, and returns all there is to
// say: every alert that fires, and those that have cleared. What fires goes on
// firing for as long as it stands.
func (s *standing) update(v view, p *Plan, l links) []Alert {
	firing := map[string]Alert{}
	var alerts []Alert
	for _, c := range v.candidates(p, l) {
		_, fired := s.firing[c.alert.key]
		if !fired && c.stood < c.For {
			continue
		}
		alert := c.alert.firing(v.now, v.until)
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
