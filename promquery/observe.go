package promquery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	s, err := c.survey(ctx, o, dep)
	if err != nil {
		return err
	}
	k := parts(s.samples)
	h := histogramQuestion{
		latency: dep.Latency, survey: s,
		grid: windowGrid(o.At, dep.Window, k), scrapes: s.samples / float64(k),
	}
	buckets := bucketsQuery(s.form, dep.Latency, h.grid.step)
	quantiles := quantilesQuery(s.form, dep.Latency, dep.Window)
	questions := []func() (reply, *Error){
		func() (reply, *Error) { return c.sender.steps(ctx, buckets, h.grid) },
		func() (reply, *Error) { return c.sender.instant(ctx, quantiles, o.At) },
	}
	o.Queries = append(o.Queries, buckets, quantiles)
	for _, a := range own {
		questions = append(questions, func() (reply, *Error) { return c.sender.instant(ctx, a.query, o.At) })
		o.Queries = append(o.Queries, a.query)
	}
	answers := atOnce(questions)
	errs := []*Error{
		about(buckets, answers[0].into(o, h.readBuckets)),
		about(quantiles, answers[1].into(o, h.readQuantiles)),
	}
	for i, a := range own {
		errs = append(errs, about(a.query, answers[2+i].into(o, a.read)))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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

// read puts the answer to a configured expression where it belongs. Rates
// become counts over the window.
func (a asked) read(o *latency.Observation, r reply) *Error {
	v, note, err := single(a, r.value)
	if err != nil {
		return err
	}
	o.Notes = append(o.Notes, note)
	if v != nil && !a.isRatio {
		*v *= o.Window.Seconds()
	}
	switch a.key {
	case "error_ratio":
		o.ErrorRatio = v
	case "observed.attempts":
		o.Observed.Attempts = v
	case "observed.timeouts":
		o.Observed.Timeouts = v
	case "observed.retries":
		o.Observed.Retries = v
	case "observed.calls":
		o.Observed.Calls = v
	case "observed.fallbacks":
		o.Observed.Fallbacks = v
	}
	return nil
}

// answered is a reply or the reason why there is none.
type answered struct {
	reply reply
	err   *Error
}

// into decodes a reply into the observation.
func (a answered) into(o *latency.Observation, read func(*latency.Observation, reply) *Error) *Error {
	if a.err != nil {
		return a.err
	}
	o.Notes = append(o.Notes, a.reply.notes...)
	err := read(o, a.reply)
	if err != nil && err.Kind == KindNoData && len(a.reply.notes) > 0 {
		err.Message += "; the server remarks: " + line(strings.Join(a.reply.notes, "; "))
	}
	return err
}

// atOnce asks several questions side by side. The sender bounds how many of
// them are on the way.
func atOnce(questions []func() (reply, *Error)) []answered {
	answers := make([]answered, len(questions))
	var wait sync.WaitGroup
	for i, ask := range questions {
		wait.Go(func() { answers[i].reply, answers[i].err = ask() })
	}
	wait.Wait()
	return answers
}

// about says which query an error is about, where it does not say so itself.
func about(q latency.Query, err *Error) *Error {
	if err != nil && err.Query == (latency.Query{}) {
		err.Query = q
		err.Message = fmt.Sprintf("%s query: %s", q.Purpose, err.Message)
	}
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
