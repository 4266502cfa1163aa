package promquery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// What one query about the past may ask for at most.
const (
	mostMoments       = 10_000    // for each series; Prometheus itself refuses more than 11,000
	mostAnswers       = 60_000    // numbers in one reply, some 3 MB
	mostNativeAnswers = 300       // native histograms in one reply, each some kB
	mostPoints        = 5_000_000 // series × moments, a tenth of what Prometheus admits by default
)

// stored is how many series the counts are read from.
func (s survey) stored() int {
	if s.form == native {
		return s.series
	}
	sum := 0
	for _, bound := range s.layout {
		sum += bound.series
	}
	return max(sum, s.series)
}

// most is how many steps one query for counts may cover.
func (h *past) most(s survey) int {
	moments := mostMoments
	if s.form == native {
		moments = min(moments, mostNativeAnswers)
	} else {
		moments = min(moments, mostAnswers/max(1, len(s.layout)+1))
	}
	moments = min(moments, mostPoints/max(1, s.stored()))
	if h.limit > 0 {
		moments = min(moments, h.limit)
	}
	return max(1, moments/h.parts)
}

// surveys asks for the scrapes and the layout of every step, and divides the
// steps by what most of them have.
func (h *past) surveys(ctx context.Context) *Error {
	whole := stretch{to: len(h.steps)}
	if len(h.dep.Latency.Quantiles) > 0 || h.dep.Latency.Kind == summary {
		h.refuse(whole, &Error{Kind: KindUnusable, Message: "only quantiles are known, and the past can only be judged by counts: give a histogram"})
		return nil
	}
	err := h.survey(ctx, h.dep.Latency)
	if err != nil && err.Kind == KindBadQuery && !excessive(err) && len(forms(h.dep.Latency.Kind)) > 1 {
		only := h.dep.Latency // servers without native histograms do not know their functions
		only.Kind = string(classic)
		err = h.survey(ctx, only)
	}
	var samples []float64
	for _, s := range h.steps {
		if s.err == nil {
			samples = append(samples, s.survey.samples)
		}
	}
	switch slices.Sort(samples); {
	case len(samples) == 0:
	case h.options.MaxSamples > 0 && h.stored() > h.options.MaxSamples:
		h.refuse(whole, &Error{Kind: KindTooLarge, Message: fmt.Sprintf("the last %s hold about %.2g samples of this histogram, and at most %.2g are read",
			age(h.options.Step*time.Duration(h.options.Steps)), h.stored(), h.options.MaxSamples)})
	default:
		h.parts = parts(samples[len(samples)/2])
	}
	return err
}

// stored is about how many samples the counts of all steps are read from.
func (h *past) stored() float64 {
	samples := 0.0
	for _, s := range h.steps {
		samples += s.survey.samples * float64(s.survey.stored())
	}
	return samples
}

func (h *past) survey(ctx context.Context, l config.Latency) *Error {
	q := latency.Query{Purpose: purposeScrapes, PromQL: scrapesQuery(l, h.options.Step)}
	whole := stretch{to: len(h.steps), parts: 1}
	h.query = h.grid(whole).ask(q)
	return h.inHalves(ctx, whole, asking{query: q, fail: h.refuse, read: func(s stretch, r reply) *Error {
		moments, err := vectors(r.value, h.grid(s))
		for i, vector := range moments {
			h.steps[s.from+i].surveyed(vector, h)
		}
		return err
	}})
}

func (s *step) surveyed(vector answer, h *past) {
	found, err := decodeScrapes(vector)
	if err == nil && len(found) == 0 {
		err = &Error{Kind: KindNoData, Message: fmt.Sprintf("no series match %s in the %s", selectorText(h.dep.Latency), model.Duration(h.options.Step))}
	}
	if err == nil {
		s.survey, _ = choose(found)
		err = s.survey.usable()
	}
	s.err = err
}

// counts asks for the counts of some steps. The error is that of a query that
// was not answered.
func (h *past) counts(ctx context.Context, from, to int) *Error {
	form := h.steps[from].survey.form
	q := latency.Query{Purpose: purposeBuckets, PromQL: bucketsQuery(form, h.dep.Latency, h.moments(h.parts).step)}
	return h.inHalves(ctx, stretch{from, to, h.parts}, asking{query: q, fail: h.refuse, read: func(s stretch, r reply) *Error {
		var (
			all []part
			err *Error
			u   = unit(h.dep.Latency.UnitScale)
		)
		if form == native {
			all, _, err = decodeNative(r.value, h.grid(s), u)
		} else {
			all, err = decodeClassic(r.value, h.grid(s), u, nil)
		}
		if err != nil {
			return err
		}
		for i := s.from; i < s.to; i++ {
			h.steps[i].counted(all[(i-s.from)*s.parts:(i-s.from+1)*s.parts], r.notes, h.grid(s).ask(q))
		}
		return nil
	}})
}

func (s *step) counted(all []part, notes []string, q latency.Query) {
	s.query, s.notes = q, append(s.notes, notes...)
	s.window, s.err = window(all, s.survey.samples/float64(len(all)))
	if s.err == nil && len(s.window.Parts) == 0 {
		s.err = about(q, &Error{Kind: KindNoData, Message: "no series has two samples in any part of the window"})
	}
}

// counters asks for attempts and timeouts where they are configured: the
// measured false-timeout ratio. Without an answer the histogram decides.
func (h *past) counters(ctx context.Context) {
	own, err := configured(h.dep)
	if err != nil {
		return
	}
	for _, a := range own {
		if a.key != keyAttempts && a.key != keyTimeouts {
			continue
		}
		_ = h.inHalves(ctx, stretch{to: len(h.steps), parts: 1}, asking{query: a.query, fail: h.remark, read: func(s stretch, r reply) *Error {
			moments, err := vectors(r.value, h.grid(s))
			for i, vector := range moments {
				h.steps[s.from+i].rated(a, vector, h.options.Step)
			}
			return err
		}})
	}
}

func (s *step) rated(a asked, vector answer, length time.Duration) {
	rate, _, err := single(a, vector)
	if err != nil {
		s.notes = append(s.notes, err.Message)
	}
	*a.counter(&s.observed) = counted(rate, length)
}

// refuse gives steps without an error of their own this one.
func (h *past) refuse(s stretch, err *Error) {
	for i := s.from; i < s.to; i++ {
		if h.steps[i].err == nil {
			h.steps[i].err = err
		}
	}
}

// remark says of steps what is not known of them besides their latency.
func (h *past) remark(s stretch, err *Error) {
	for i := s.from; i < s.to; i++ {
		h.steps[i].notes = append(h.steps[i].notes, err.Message)
	}
}

// stretch is some steps, each in so many parts.
type stretch struct{ from, to, parts int }

func (h *past) grid(s stretch) grid {
	g := h.moments(s.parts)
	return grid{end: g.time(s.to*s.parts - 1), step: g.step, n: (s.to - s.from) * s.parts}
}

// asking is a query about the past, what reads an answer, and what is told of
// steps without one.
type asking struct {
	query latency.Query
	read  func(stretch, reply) *Error
	fail  func(stretch, *Error)
}

// inHalves asks for a stretch, and where that is too much for the server, for
// its halves, down to single steps. The error is that of the last query that was
// not answered.
func (h *past) inHalves(ctx context.Context, s stretch, a asking) *Error {
	asked := h.grid(s).ask(a.query)
	answer, err := h.client.sender.ask(ctx, asked, h.options.End)
	switch {
	case err == nil:
		if err := about(asked, a.read(s, answer)); err != nil {
			a.fail(s, err)
		}
		return nil
	case s.to-s.from > 1 && h.tooMuch(err) && ctx.Err() == nil:
		middle := (s.from + s.to) / 2
		if s.parts == h.parts {
			h.limit = (s.to - middle) * s.parts
		}
		first := h.inHalves(ctx, stretch{s.from, middle, s.parts}, a)
		second := h.inHalves(ctx, stretch{middle, s.to, s.parts}, a)
		return cmp.Or(second, first)
	}
	a.fail(s, err)
	return err
}

// mostTimeouts bounds how often less is asked for because the server ran out of
// time: each attempt costs the whole query timeout.
const mostTimeouts = 4

// tooMuch reports whether a query failed because it asked for too much at once,
// so that less may be answered.
func (h *past) tooMuch(err *Error) bool {
	if err.Kind == KindTimeout {
		h.timeouts++
		return h.timeouts <= mostTimeouts
	}
	return excessive(err)
}

// excessive reports whether the server, or we, refused the size of an answer.
func excessive(err *Error) bool {
	return err.Kind == KindTooLarge ||
		err.Kind == KindBadQuery && (strings.Contains(err.Message, "too many") || strings.Contains(err.Message, "exceed"))
}

// vectors turns the answer to a range query into one vector for each moment.
func vectors(a answer, g grid) ([]answer, *Error) {
	moments := make([]answer, g.n)
	for i := range moments {
		moments[i].kind = model.ValVector
	}
	err := columns(a, g, func(i int, l *labelSet, v point) *Error {
		moments[i].rows = append(moments[i].rows, row{l, []point{v}})
		return nil
	})
	return moments, err
}
