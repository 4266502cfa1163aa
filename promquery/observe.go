package promquery

import (
	"context"
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// observe asks about one dependency: the scrapes first, since they say which
// form to ask for and in how many parts, then everything else at once.
func (c *Client) observe(ctx context.Context, dep config.Dependency, at time.Time) (latency.Observation, *Error) {
	o := latency.Observation{At: at, Window: dep.Window}
	err := c.fill(ctx, &o, dep)
	o.Notes = distinct(o.Notes)
	return o, err
}

func (c *Client) fill(ctx context.Context, o *latency.Observation, dep config.Dependency) *Error {
	own, err := configured(dep)
	if err != nil {
		return err
	}
	var questions []question
	switch {
	case len(dep.Latency.Quantiles) > 0:
		o.QuantilesOnly = true // they are among the configured expressions
	case dep.Latency.Kind == summary:
		_, err = c.summary(ctx, o, dep)
	default:
		questions, err = c.histogram(ctx, o, dep)
	}
	if err != nil {
		return err
	}
	for _, a := range own {
		questions = append(questions, question{a.query, a.read})
	}
	questions = append(questions, ofTheWindowBefore(own, o.At.Add(-dep.Window))...)
	if err := c.ask(ctx, o, questions); err != nil {
		return err
	}
	return inOrder(o)
}

// histogram asks for the scrapes and prepares the questions that follow.
func (c *Client) histogram(ctx context.Context, o *latency.Observation, dep config.Dependency) ([]question, *Error) {
	s, err := c.survey(ctx, o, dep)
	if err != nil {
		return nil, err
	}
	k := parts(s.samples)
	h := histogramQuestion{
		latency: dep.Latency, survey: s,
		grid: windowGrid(o.At, dep.Window, k), scrapes: s.samples / float64(k),
	}
	questions := []question{
		{h.grid.ask(bucketsQuery(s.form, dep.Latency, h.grid.step)), h.readBuckets},
		{quantilesQuery(s.form, dep.Latency, dep.Window), h.readQuantiles},
	}
	if dep.Latency.ReplicaLabel != "" {
		questions = append(questions, question{replicasQuery(s.form, dep.Latency, dep.Window), h.readReplicas})
	}
	return questions, nil
}

// survey asks for the scrapes and chooses the form to read.
func (c *Client) survey(ctx context.Context, o *latency.Observation, dep config.Dependency) (survey, *Error) {
	q := scrapesQuery(dep.Latency, dep.Window)
	o.Queries = append(o.Queries, q)
	answer, err := c.sender.instant(ctx, q, o.At)
	if err != nil && err.Kind == KindBadQuery && len(forms(dep.Latency.Kind)) > 1 {
		// Servers without native histograms do not know their functions either.
		only := dep.Latency
		only.Kind = string(classic)
		q = scrapesQuery(only, dep.Window)
		o.Queries = append(o.Queries, q)
		answer, err = c.sender.instant(ctx, q, o.At)
	}
	if err != nil {
		return survey{}, err
	}
	o.Notes = append(o.Notes, answer.notes...)
	found, err := decodeScrapes(answer.value)
	if err != nil {
		return survey{}, about(q, err)
	}
	if len(found) == 0 {
		return survey{}, c.absent(ctx, o, dep)
	}
	s, note := choose(found)
	o.Notes = append(o.Notes, note, s.newcomers())
	return s, about(q, s.usable())
}

// histogramQuestion is what is known of a histogram when its counts are asked.
type histogramQuestion struct {
	latency config.Latency
	survey  survey
	grid    grid
	scrapes float64 // per part
}

func (h histogramQuestion) readBuckets(o *latency.Observation, r reply) *Error {
	var (
		all   []part
		notes []string
		err   *Error
		u     = unit(h.latency.UnitScale)
	)
	if h.survey.form == native {
		all, notes, err = decodeNative(r.value, h.grid, u)
	} else {
		all, err = decodeClassic(r.value, h.grid, u)
	}
	if err != nil {
		return err
	}
	o.Notes = append(o.Notes, notes...)
	k := len(all) / 2
	if o.Now, err = window(all[k:], h.scrapes); err != nil {
		return err
	}
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

// distinct drops empty notes and repetitions.
func distinct(notes []string) []string {
	var kept []string
	for _, n := range notes {
		if n != "" && !slices.Contains(kept, n) {
			kept = append(kept, n)
		}
	}
	return kept
}
