package notify

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

const (
	// DefaultQueueCapacity is that of Prometheus.
	DefaultQueueCapacity = 10_000

	// resendAfter bounds how long an Alertmanager that has restarted, and so
	// forgotten all alerts, waits for them under a slow schedule.
	resendAfter = 2 * time.Minute
)

// Options are what a Notifier is made of.
type Options struct {
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	UserAgent  string

	ExternalURL string // of the auditor's pages, for links; "": alerts have none
	RunbookURL  string // prefix of the runbook pages, ending in a slash

	QueueCapacity int // alerts that wait for each Alertmanager; 0: DefaultQueueCapacity
}

// Notifier tells Alertmanagers what reports found. Its methods are safe for
// concurrent use.
type Notifier struct {
	options    Options
	links      links
	instrument *instrument
	changed    chan struct{} // has an element when there are new senders or alerts

	mu       sync.Mutex
	plan     *Plan
	standing standing
	newest   []Alert // as they were last handed to the senders
	senders  map[string]*sender
}

// New returns a notifier that tells nobody before it has a plan.
func New(o Options) *Notifier {
	if o.QueueCapacity <= 0 {
		o.QueueCapacity = DefaultQueueCapacity
	}
	return &Notifier{
		options:    o,
		links:      links{external: strings.TrimRight(o.ExternalURL, "/"), runbooks: o.RunbookURL},
		instrument: newInstrument(o.Registerer),
		changed:    make(chan struct{}, 1),
		plan:       &Plan{},
		senders:    map[string]*sender{},
	}
}

// Adopt puts a plan in force. Alertmanagers that it leaves out are told what is
// queued for them and then no more; new ones are told with the next report.
func (n *Notifier) Adopt(p *Plan) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.plan = p
	kept := map[string]*sender{}
	for i := range p.targets {
		t := &p.targets[i]
		s := n.senders[t.name]
		if s == nil {
			s = n.newSender(t.name)
		}
		if before := s.target.Swap(t); before != nil {
			before.client.CloseIdleConnections() // else they stay open for minutes
		}
		kept[t.name] = s
	}
	for name, s := range n.senders {
		if kept[name] == nil {
			close(s.retired)
			if !s.started {
				n.instrument.end(name)
			}
		}
	}
	n.senders = kept
	n.signal()
}

func (n *Notifier) newSender(name string) *sender {
	n.instrument.begin(name)
	return &sender{
		name: name, queue: newQueue(n.options.QueueCapacity), instrument: n.instrument, logger: n.options.Logger,
		retired: make(chan struct{}), rejected: map[string]time.Time{},
	}
}

// Recall takes what was found in the past for told, without telling it: what the
// next report does not find is then resolved.
func (n *Notifier) Recall(past []rules.Finding) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.standing.recall(past, n.plan, n.links)
}

// Publish hands what a report found, and what the auditor has to say about
// itself, to every Alertmanager's queue. It does not wait for any of them.
func (n *Notifier) Publish(r *report.Report, troubles ...Trouble) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.newest = n.standing.update(view{
		findings: r.Findings, troubles: troubles, at: r.At, now: now, until: now.Add(n.plan.lifetime(r.Duration)),
	}, n.plan, n.links)
	n.hand()
	n.signal()
}

// hand gives the newest alerts to the senders.
func (n *Notifier) hand() {
	for _, s := range n.senders {
		if len(n.newest) > 0 {
			s.enqueue(n.newest)
		}
	}
}

func (n *Notifier) signal() {
	select {
	case n.changed <- struct{}{}:
	default:
	}
}

// Run delivers until ctx ends, and what is queued then for a few seconds more.
func (n *Notifier) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		n.start(ctx, &running)
		timer := time.NewTimer(resendAfter)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-n.changed:
		case <-timer.C:
			n.resend()
		}
		timer.Stop()
	}
}

// start runs the senders that do not run yet.
func (n *Notifier) start(ctx context.Context, running *sync.WaitGroup) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.senders {
		if !s.started {
			s.started = true
			running.Go(func() {
				s.run(ctx)
				n.ended(s)
			})
		}
	}
}

// resend says again what was said with the newest report, with the ends it had
// then: that nothing follows it makes it no truer.
func (n *Notifier) resend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hand()
}

// ended forgets the metrics of an Alertmanager that has left the configuration.
func (n *Notifier) ended(s *sender) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.senders[s.name] == nil {
		n.instrument.end(s.name)
	}
}
