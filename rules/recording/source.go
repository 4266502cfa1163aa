package recording

import (
	"fmt"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// source is PromQL for what is read of a dependency's latency, in seconds.
type source struct {
	quantile func(p float64) string
	samples  string // empty where nothing counts the calls

	// largest is the upper end of all that was seen, and where calls lie beyond
	// the highest finite bound that bound; empty where quantiles have no bounds.
	largest string
}

func sourceOf(s subject) source {
	dep, l := s.dep, s.dep.Latency
	window := model.Duration(dep.Window).String()
	switch {
	case len(l.Quantiles) > 0:
		return givenQuantiles(l, dep)
	case l.Kind == "summary":
		return summary(s, window)
	}
	by := s.by()
	quantile := func(q float64) string {
		return either(forms(l, func(f form) string {
			return fmt.Sprintf("histogram_quantile(%s, %s)", number(q), f.merged("rate", window, by))
		}))
	}
	return source{
		quantile: func(q float64) string { return inSeconds(quantile(q), l) },
		largest:  inSeconds(quantile(1), l),
		samples:  either(forms(l, func(f form) string { return f.count(window, by) })),
	}
}

// form is one way in which a server stores the histogram.
type form struct {
	latency config.Latency
	native  bool
}

func forms(l config.Latency, write func(form) string) []string {
	switch l.Kind {
	case "classic":
		return []string{write(form{l, false})}
	case "native":
		return []string{write(form{l, true})}
	}
	return []string{write(form{l, true}), write(form{l, false})}
}

// merged adds up the histograms of all series.
func (f form) merged(function, window string, by []string) string {
	if f.native {
		return fmt.Sprintf("%s (%s(%s[%s]))", aggregate("sum", by), function, f.totals(), window)
	}
	by = append([]string{labels.BucketLabel}, by...)
	return fmt.Sprintf("%s (%s(%s[%s]))", aggregate("sum", by), function, series(f.latency.Histogram+"_bucket", f.latency.Matchers), window)
}

func (f form) count(window string, by []string) string {
	if f.native {
		return fmt.Sprintf("histogram_count(%s)", f.merged("increase", window, by))
	}
	return fmt.Sprintf("%s (increase(%s[%s]))", aggregate("sum", by), f.totals(), window)
}

// totals selects one series for each histogram.
func (f form) totals() string {
	if f.native {
		return series(f.latency.Histogram, f.latency.Matchers)
	}
	return series(f.latency.Histogram+"_bucket", append([]*labels.Matcher{equal(labels.BucketLabel, "+Inf")}, f.latency.Matchers...))
}

// aggregate is an aggregation over all labels but some.
func aggregate(operator string, by []string) string {
	if len(by) == 0 {
		return operator
	}
	return fmt.Sprintf("%s by (%s)", operator, grouping(by))
}

// by are the labels that tell the subject's dependencies apart.
func (s subject) by() []string {
	if s.each == nil {
		return nil
	}
	return s.each.by
}

// either takes the first that has a value.
func either(expressions []string) string { return strings.Join(expressions, "\nor ") }

// summary takes the largest of all series, since quantiles cannot be averaged.
func summary(s subject, window string) source {
	l := s.dep.Latency
	return source{
		quantile: func(q float64) string {
			// The label may carry more zeros.
			matcher := labels.MustNewMatcher(labels.MatchRegexp, "quantile", strings.ReplaceAll(number(q), ".", `\.`)+"0*")
			return inSeconds(fmt.Sprintf("%s (%s)", aggregate("max", s.by()), series(l.Histogram, append([]*labels.Matcher{matcher}, l.Matchers...))), l)
		},
		samples: fmt.Sprintf("%s (increase(%s[%s]))", aggregate("sum", s.by()), series(l.Histogram+"_count", l.Matchers), window),
	}
}

// givenQuantiles are PromQL from the configuration.
func givenQuantiles(l config.Latency, dep config.Dependency) source {
	return source{quantile: func(p float64) string {
		for _, q := range l.Quantiles {
			if q.P == p {
				return inSeconds(single(expand(q.Query, dep)), l)
			}
		}
		return inSeconds("vector(NaN)", l)
	}}
}

func expand(query string, dep config.Dependency) string {
	return config.ExpandWindow(query, dep.Window)
}

// single makes one value without labels of an expression; NaN where it has
// none or several, as the auditor too refuses to choose.
func single(query string) string {
	if expr, err := newParser().ParseExpr(query); err == nil && expr.Type() == parser.ValueTypeScalar {
		return fmt.Sprintf("vector(%s)", query)
	}
	return fmt.Sprintf("vector(scalar(%s))", query)
}

// inSeconds converts the unit, and drops what is no latency: NaN, which is what
// a quantile of no calls is, zero and infinity.
func inSeconds(expr string, l config.Latency) string {
	if l.UnitScale == 0.001 {
		return fmt.Sprintf("((%s) / 1000 > 0) < Inf", expr)
	}
	return fmt.Sprintf("((%s) > 0) < Inf", expr)
}

// series selects a metric: NAME{…} where PromQL reads the name there, and
// {__name__="NAME",…} where it does not, as with dots and with its own words.
func series(name string, matchers []*labels.Matcher) string {
	var texts []string
	for _, m := range matchers {
		texts = append(texts, m.String())
	}
	inside := strings.Join(texts, ",")
	plain := name + "{" + inside + "}"
	if expr, err := newParser().ParseExpr(plain); err == nil && model.LegacyValidation.IsValidMetricName(name) {
		if selector, ok := expr.(*parser.VectorSelector); ok && selector.Name == name {
			return plain
		}
	}
	named := labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name).String()
	return "{" + strings.Join(append([]string{named}, texts...), ",") + "}"
}

func newParser() parser.Parser {
	return parser.NewParser(parser.Options{EnableExperimentalFunctions: true})
}
