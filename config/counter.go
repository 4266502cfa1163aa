package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// checkRates says what is wrong with the way in which an expression reads its
// metrics, "" for nothing. A counter's level counts from whenever its process
// began, so it has to pass through a function that takes its growth.
func checkRates(expr parser.Expr, want promqlFor) string {
	message, selectors := "", 0
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		selectors++
		if message == "" {
			message = checkReading(selector, path, want == forRate)
		}
		return nil
	})
	if message == "" && want != forRatio && selectors == 0 {
		return "must read a metric"
	}
	return message
}

// promqlFor is what an expression is to give.
type promqlFor int

const (
	forRatio    promqlFor = iota // any number from 0 to 1
	forRate                      // a rate per second that depends on data
	forQuantile                  // a latency that depends on data
)

// BareReadings returns the names of the metrics that an expression reads
// without a function that takes their growth, each once: if one of them is a
// counter by its type, the expression is no rate. What a recording rule is
// called, with a colon, says enough.
func BareReadings(expr parser.Expr) []string {
	var names []string
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		name := metricName(selector)
		bare := !slices.ContainsFunc(calledAround(path), ignoresLevel) && !countsSeries(path)
		if bare && name != "" && !strings.Contains(name, ":") && !slices.Contains(names, name) {
			names = append(names, name)
		}
		return nil
	})
	return names
}

// checkReading judges one selector by what stands around it.
func checkReading(selector *parser.VectorSelector, path []parser.Node, perSecond bool) string {
	name := metricName(selector)
	calls := calledAround(path)
	counter := isCounter(name) || slices.ContainsFunc(calls, readsHistogram) && !strings.Contains(name, ":")
	switch {
	case !counter:
	case !slices.ContainsFunc(calls, ignoresLevel) && !countsSeries(path):
		return fmt.Sprintf("not-a-rate: %s only grows, so its level says nothing about the window; write rate(%s[$window])", show(name), show(name))
	case perSecond && slices.ContainsFunc(calls, countsGrowth) && !slices.Contains(calls, "rate") && !isScaled(path):
		return fmt.Sprintf("not-a-rate: this counts what %s grew by, and a rate per second is needed; write rate where it says %s",
			show(name), calls[slices.IndexFunc(calls, countsGrowth)])
	}
	return ""
}

func metricName(selector *parser.VectorSelector) string {
	if selector.Name != "" {
		return selector.Name
	}
	for _, m := range selector.LabelMatchers {
		if m.Name == model.MetricNameLabel {
			return m.Value
		}
	}
	return ""
}

// isCounter goes by the suffixes that OpenMetrics reserves for counters and for
// the parts of histograms and summaries.
func isCounter(name string) bool {
	for _, suffix := range []string{"_total", "_bucket", "_count", "_sum"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

func calledAround(path []parser.Node) []string {
	var names []string
	for _, node := range path {
		if call, ok := node.(*parser.Call); ok {
			names = append(names, call.Func.Name)
		}
	}
	return names
}

// ignoresLevel names the functions whose value does not depend on a counter's
// level, only on its growth or its presence.
func ignoresLevel(function string) bool {
	switch function {
	case "rate", "irate", "increase", "delta", "idelta", "deriv", "changes", "resets",
		"absent", "absent_over_time", "present_over_time", "count_over_time", "timestamp":
		return true
	}
	return false
}

func countsGrowth(function string) bool {
	return function == "increase" || function == "delta" || function == "idelta"
}

// readsHistogram names the functions that read native histograms, which are
// counters whatever they are called.
func readsHistogram(function string) bool {
	switch function {
	case "histogram_count", "histogram_sum", "histogram_avg", "histogram_fraction", "histogram_quantile":
		return true
	}
	return false
}

// countsSeries says that only the number of series matters.
func countsSeries(path []parser.Node) bool {
	return slices.ContainsFunc(path, func(node parser.Node) bool {
		a, ok := node.(*parser.AggregateExpr)
		return ok && (a.Op == parser.COUNT || a.Op == parser.GROUP)
	})
}

// isScaled says that a division or multiplication may have made a rate of it.
func isScaled(path []parser.Node) bool {
	return slices.ContainsFunc(path, func(node parser.Node) bool {
		b, ok := node.(*parser.BinaryExpr)
		return ok && (b.Op == parser.DIV || b.Op == parser.MUL)
	})
}
