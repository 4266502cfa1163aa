package notify

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

const (
	endsAfterGaps = 3           // longest gaps between reports
	endsMargin    = time.Minute // for clocks that differ, and for the way
)

// Plan is a configuration made ready: whom to tell, and how to say it.
type Plan struct {
	targets  []target
	external map[string]string
	rules    map[string]rules.Rule  // by code
	itself   map[string]rules.Alert // about the auditor, by name
	gap      time.Duration          // longest, between two reports
	holdFor  time.Duration
}

// target is one Alertmanager.
type target struct {
	name     string // in metrics and logs
	endpoint string
	timeout  time.Duration
	client   *http.Client
}

// NewPlan builds the clients of a configuration's Alertmanagers. It contacts
// none of them. An error says which part of an HTTP client's configuration does
// not work, such as a missing CA file.
func NewPlan(c *config.Config, userAgent string) (*Plan, error) {
	p := &Plan{
		external: c.ExternalLabels, gap: c.Schedule.Gap, holdFor: c.HoldFor,
		rules: map[string]rules.Rule{}, itself: rules.AboutItself(rules.AlertOptions{StaleAfter: c.StaleAfter}),
	}
	for _, rule := range rules.Effective(c.Rules) {
		p.rules[rule.Code] = rule
	}
	for _, a := range c.Alertmanagers {
		client, err := promconfig.NewClientFromConfig(a.HTTPClient, "alertmanager", promconfig.WithUserAgent(userAgent))
		if err != nil {
			return nil, fmt.Errorf("set up the client of %s: %w", a.URL, err)
		}
		if a.HTTPClient.FollowRedirects {
			client.CheckRedirect = keepMethod
		}
		name := strings.TrimRight(a.URL, "/")
		p.targets = append(p.targets, target{name: name, endpoint: name + "/api/v2/alerts", timeout: a.Timeout, client: client})
	}
	return p, nil
}

// lifetime is how long an alert stands after a report if no other follows: long
// enough that one late or lost report does not end it, and as long as the
// auditor's own hold_for, since its silence is no news either.
func (p *Plan) lifetime(took time.Duration) time.Duration {
	return max(p.holdFor, endsAfterGaps*max(p.gap, 2*took)+endsMargin)
}

// keepMethod refuses redirects that turn a push into a GET: the list of alerts,
// or a login page, would pass for success.
func keepMethod(req *http.Request, via []*http.Request) error {
	const most = 10 // what Go's own client follows
	switch {
	case req.Method != http.MethodPost:
		return fmt.Errorf("redirected to %s, which drops the alerts", req.URL.Redacted())
	case len(via) >= most:
		return fmt.Errorf("gave up after %d redirects", most)
	}
	return nil
}
