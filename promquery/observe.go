package promquery

import (
	"context"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// askScrapes asks what there is to read, and how often it is scraped: that says
// which form to ask for and in how many parts.
func (s *subject) askScrapes(kind string) []question {
	q := s.target.ask(wording{purpose: purposeScrapes, kind: kind, over: s.dep.Window})
	q.read = s.readScrapes
	q.cost = s.target.expected().scrapes()
	if len(forms(kind)) > 1 {
		// Servers without native histograms do not know their functions either.
		q.refused = func() []question { return s.askScrapes(string(classic)) }
	}
	return []question{q}
}

// readScrapes chooses the form to read.
func (s *subject) readScrapes(o *latency.Observation, r reply) *Error {
	found, err := decodeScrapes(r.value)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		s.next = func() []question { return s.askNames(noHistogramAmong) }
		return nil
	}
	chosen, note := choose(found)
	s.survey = chosen
	o.Notes = append(o.Notes, note, chosen.newcomers())
	if err := chosen.usable(); err != nil {
		return err
	}
	s.target.remember(chosen)
	if !s.surveyOnly {
		s.next = s.askHistogram
	}
	return nil
}

// askHistogram asks for the counts and all that goes with them. Of a classic
// histogram it asks for the whole window first, which says at which bounds its
// parts are of interest.
func (s *subject) askHistogram() []question {
	k := parts(s.survey.samples)
	h := histogramQuestion{
		latency: s.dep.Latency, survey: s.survey,
		grid: windowGrid(s.o.At, s.dep.Window, k), scrapes: s.survey.samples / float64(k),
	}
	f, size := s.survey.form, s.survey.extent()
	ask := func(purpose string) question {
		return s.target.ask(wording{purpose: purpose, form: f, over: s.dep.Window})
	}
	var counts question
	if f == native {
		counts = s.askParts(h, nil)
		counts.query.Purpose, counts.cost = purposeBuckets, size.buckets(h.grid.n)
	} else {
		counts = ask(purposeBuckets)
		counts.cost = size.buckets(1)
		counts.read = func(o *latency.Observation, r reply) *Error { return s.readWhole(h, o, r) }
	}
	questions := []question{counts}
	if f == native {
		quantiles := ask(purposeQuantiles)
		quantiles.read, quantiles.cost = h.readQuantiles, size.quantiles()
		questions = append(questions, quantiles)
	}
	if s.dep.Latency.ReplicaLabel != "" {
		replicas := ask(purposeReplicas)
		replicas.read, replicas.cost = h.readReplicas, size.replicas()
		questions = append(questions, replicas)
	}
	return append(questions, s.askOwn()...)
}

// readWhole reads the window and prepares the question about its parts.
func (s *subject) readWhole(h histogramQuestion, o *latency.Observation, r reply) *Error {
	vector, err := elements(r.value)
	if err != nil {
		return err
	}
	c := cumulative{buckets: make([]bucketCount, 0, len(vector))}
	for _, sample := range vector {
		if err := c.add(sample.labelSet, sample.point()); err != nil {
			return err
		}
	}
	p := c.part(unit(h.latency.UnitScale))
	switch {
	case p.err != nil:
		return p.err
	case !p.present:
		return &Error{
			Kind:    KindNoData,
			Message: "no series has two samples in the window: its series ended, or samples are too far apart; lengthen the window",
		}
	}
	whole := latency.Window{Whole: p.hist, Scrapes: h.scrapes}
	o.Now = whole
	o.P50, o.P99 = quantileOf(p.hist, median), quantileOf(p.hist, p99)
	o.Queries = append(o.Queries, s.target.query(wording{purpose: purposeQuantiles, form: classic, over: s.dep.Window}))
	h.bounds = append([]float64{}, whole.BoundsNeeded(h.grid.n/2, s.limits()...)...)
	les := spelled(vector, h.bounds, unit(h.latency.UnitScale))
	s.next = func() []question { return []question{s.askParts(h, les)} }
	return nil
}

// quantileOf is what histogram_quantile answers over the same counts; nil where
// that is NaN.
func quantileOf(h latency.Histogram, q float64) *float64 {
	if !(h.Total() > 0) {
		return nil
	}
	seconds, _ := h.Quantile(q)
	return &seconds
}

// askParts asks how the counts vary over the window and the one before.
func (s *subject) askParts(h histogramQuestion, les []string) question {
	f := h.survey.form
	q := s.target.ask(wording{purpose: purposeParts, form: f, over: h.grid.step}, les...)
	q.query = h.grid.ask(q.query)
	q.read, q.cost = h.readParts, h.survey.extent().parts(len(les), h.grid.n)
	return q
}

// limits are the times in seconds that the latency may be judged against.
func (s *subject) limits() []float64 {
	p := s.dep.Policy
	all := []time.Duration{p.Timeout, p.Deadline}
	for _, layer := range p.Layers {
		all = append(all, layer.Timeout)
	}
	var limits []float64
	for _, d := range all {
		if d > 0 {
			limits = append(limits, d.Seconds())
		}
	}
	return limits
}

// survey finds out what a histogram is stored as, and nothing more.
func (c *Client) survey(ctx context.Context, dep config.Dependency, at time.Time) (survey, *Error) {
	s := c.subject(&config.Dependency{Window: dep.Window, Latency: dep.Latency}, at)
	s.surveyOnly = true
	c.converse(ctx, 1, func(int) *subject { return s })
	return s.survey, s.err
}

// histogramQuestion is what is known of a histogram when its counts are asked.
type histogramQuestion struct {
	latency config.Latency
	survey  survey
	grid    grid
	scrapes float64   // per part
	bounds  []float64 // in seconds, at which parts are read; never nil, and classic only
}

func (h histogramQuestion) readParts(o *latency.Observation, r reply) *Error {
	var (
		all   []part
		notes []string
		err   *Error
		u     = unit(h.latency.UnitScale)
	)
	if h.survey.form == native {
		all, notes, err = decodeNative(r.value, h.grid, u)
	} else {
		all, err = decodeClassic(r.value, h.grid, u, h.bounds)
	}
	if err != nil {
		return err
	}
	o.Notes = append(o.Notes, notes...)
	k := len(all) / 2
	whole := o.Now.Whole
	if o.Now, err = window(all[k:], h.scrapes); err != nil {
		return err
	}
	o.Now.Whole = whole
	if o.Before, err = window(all[:k], h.scrapes); err != nil {
		o.Notes = append(o.Notes, "the window before cannot be read: "+err.Message)
	}
	note, err := gaps(all[k:], h.grid.step)
	o.Notes = append(o.Notes, note)
	return err
}

func (h histogramQuestion) readQuantiles(o *latency.Observation, r reply) *Error {
	p50, p99, err := decodeQuantiles(r.value)
	u := unit(h.latency.UnitScale)
	for _, q := range []*float64{p50, p99} {
		if q != nil {
			*q = u.seconds(*q)
		}
	}
	o.P50, o.P99 = p50, p99
	return err
}
