package promquery

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// asked is one expression from the configuration.
type asked struct {
	key   string // of the configuration, below the dependency
	query latency.Query
	expr  parser.Expr
	gives gives

	group grouping // with which other dependencies it may be asked

	quantile float64 // of quantiles
	unit     unit    // of quantiles
}

// gives is what an expression answers with.
type gives int

const (
	aRate  gives = iota // per second
	aRatio              // from 0 to 1
	aQuantile
)

// The keys of the counters that make a ratio of their own.
const (
	keyAttempts = "observed.attempts"
	keyTimeouts = "observed.timeouts"
)

// configured returns the dependency's own expressions with $window filled in,
// in a fixed order. An expression that does not parse is an *Error: it would
// have been refused when the configuration was read.
func configured(dep config.Dependency) ([]asked, *Error) {
	type source struct {
		key, purpose, text string
		of                 asked
	}
	var sources []source
	for _, q := range dep.Latency.Quantiles {
		p := strconv.FormatFloat(q.P, 'f', -1, 64)
		sources = append(sources, source{
			fmt.Sprintf("latency.quantiles[%q]", p), purposeQuantile + p, q.Query,
			asked{gives: aQuantile, quantile: q.P, unit: unit(dep.Latency.UnitScale)},
		})
	}
	o := dep.Observed
	sources = append(sources,
		source{"error_ratio", purposeErrorRatio, dep.ErrorRatio.Query, asked{gives: aRatio}},
		source{keyAttempts, purposeObserved + "attempts", o.Attempts, asked{gives: aRate}},
		source{keyTimeouts, purposeObserved + "timeouts", o.Timeouts, asked{gives: aRate}},
		source{"observed.retries", purposeObserved + "retries", o.Retries, asked{gives: aRate}},
		source{"observed.calls", purposeObserved + "calls", o.Calls, asked{gives: aRate}},
		source{"observed.fallbacks", purposeObserved + "fallbacks", o.Fallbacks, asked{gives: aRate}},
	)
	var all []asked
	for _, s := range sources {
		if s.text == "" {
			continue
		}
		text := config.ExpandWindow(s.text, dep.Window)
		expr, err := parser.NewParser(parser.Options{EnableExperimentalFunctions: true}).ParseExpr(text)
		if err != nil {
			return nil, &Error{
				Kind:    KindBadQuery,
				Query:   latency.Query{Purpose: s.purpose, PromQL: latency.Words(text)},
				Message: fmt.Sprintf("%s is not valid PromQL: %v", s.key, err),
				Err:     err,
				key:     s.key,
			}
		}
		a := s.of
		a.key, a.expr, a.query = s.key, expr, latency.Query{Purpose: s.purpose, PromQL: latency.Words(expr.String())}
		a.group = groupingOf(a.query.Text())
		all = append(all, a)
	}
	return all, nil
}

// read puts the answer to a configured expression where it belongs. Rates
// become counts over the window.
func (a asked) read(o *latency.Observation, r reply) *Error {
	if a.gives == aQuantile {
		return a.readQuantile(o, r)
	}
	v, note, err := single(a, r.value)
	if err != nil {
		return err
	}
	o.Notes = append(o.Notes, note)
	if a.gives == aRatio {
		o.ErrorRatio = v
		return nil
	}
	*a.counter(&o.Observed) = counted(v, o.Window)
	return nil
}

// counter is where the count goes.
func (a asked) counter(c *latency.Counters) **float64 {
	switch a.key {
	case keyAttempts:
		return &c.Attempts
	case keyTimeouts:
		return &c.Timeouts
	case "observed.retries":
		return &c.Retries
	case "observed.calls":
		return &c.Calls
	default:
		return &c.Fallbacks
	}
}

// counted makes a count over a stretch of time of a rate per second.
func counted(rate *float64, over time.Duration) *float64 {
	if rate == nil {
		return nil
	}
	v := *rate * over.Seconds()
	return &v
}

// ofTheWindowBefore asks for attempts and timeouts of the window that ends at
// the given moment, where both are configured: one without the other says
// nothing. That there were none yet is no news.
func ofTheWindowBefore(own []asked, end time.Time) []question {
	var questions []question
	for _, a := range own {
		if a.key != keyAttempts && a.key != keyTimeouts {
			continue
		}
		q := a.query
		q.Purpose += purposeBefore
		q.Start, q.End = end, end
		read := func(o *latency.Observation, r reply) *Error {
			v, _, err := single(a, r.value)
			if err != nil {
				o.Notes = append(o.Notes, "of the window before: "+err.Message)
			}
			*a.counter(&o.ObservedBefore) = counted(v, o.Window)
			return nil
		}
		questions = append(questions, question{query: q, read: read, group: a.group, cost: singleValue()})
	}
	if len(questions) < 2 {
		return nil
	}
	return questions
}
