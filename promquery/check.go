package promquery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// CheckResult says whether one dependency's queries return series.
type CheckResult struct {
	Dependency string
	Form       string         // classic | native | summary | quantiles; empty where nothing was found
	Series     int            // of the histogram in the window, or of the summary; 0 for quantiles
	Problems   []CheckProblem // none: every query has data
}

// Found says in a few words what the latency is read from.
func (r CheckResult) Found() string {
	switch r.Form {
	case "":
		return "nothing"
	case quantiles:
		return "PromQL for quantiles"
	case summary:
		return fmt.Sprintf("summary, %d series", r.Series)
	}
	return fmt.Sprintf("%s histogram, %d series", r.Form, r.Series)
}

// CheckProblem is one query without data, and why.
type CheckProblem struct {
	Key     string // of the configuration, below the dependency: latency.histogram, error_ratio, observed.timeouts, …
	Message string // why, and what to do
	Err     *Error // of the query; nil where a diagnosis says more than the error
}

// The configuration keys that a histogram's problems belong to.
const (
	keyHistogram    = "latency.histogram"
	keySelector     = "latency.selector"
	keyReplicaLabel = "latency.replica_label"
)

// Check says for each dependency, in the same order, whether its histogram and
// its configured expressions return series as of the moment at, and if not, why:
// no such metric, a matcher that nothing fits, no histogram, or no recent
// samples. Where the server knows the types of metrics, it also says which
// expression reads the level of a counter. It asks more and dearer queries than
// Observe, most of them only where something is missing.
func (c *Client) Check(ctx context.Context, deps []config.Dependency, at time.Time) []CheckResult {
	results := make([]CheckResult, len(deps))
	c.each(len(deps), func(i int) {
		results[i] = c.check(ctx, deps[i], at.Truncate(time.Millisecond))
	})
	return results
}

func (c *Client) check(ctx context.Context, dep config.Dependency, at time.Time) CheckResult {
	r := CheckResult{Dependency: dep.Name}
	own, err := configured(dep)
	if err != nil {
		r.Problems = append(r.Problems, problem(err.key, err))
		return r
	}
	d := diagnosis{client: c, at: at, window: dep.Window}
	switch {
	case len(dep.Latency.Quantiles) > 0:
		r.Form = quantiles
	case dep.Latency.Kind == summary:
		d.checkSummary(ctx, dep, &r)
	default:
		d.checkHistogram(ctx, dep, &r)
	}
	for _, a := range own {
		p := d.expression(ctx, a)
		if p == nil {
			p = d.level(ctx, a)
		}
		if p != nil {
			r.Problems = append(r.Problems, *p)
		}
	}
	return r
}

// problem is what a query came to, under the key that asked for it. Where the
// server answered, the key says enough about where to look.
func problem(key string, err *Error) CheckProblem {
	message := err.Message
	if err.NoData() {
		message = strings.TrimPrefix(message, err.Query.Purpose+" query: ")
	}
	return CheckProblem{Key: key, Message: strings.TrimPrefix(message, key+": "), Err: err}
}

// diagnosis finds out why there is no data.
type diagnosis struct {
	client *Client
	at     time.Time
	window time.Duration
}

// history is how far back a diagnosis looks for series that used to exist.
const history = 24 * time.Hour

func (d diagnosis) back() time.Duration { return max(history, d.window) }

// expression explains why a configured expression has no answer; nil when it
// has one.
func (d diagnosis) expression(ctx context.Context, a asked) *CheckProblem {
	answer, err := d.client.sender.instant(ctx, a.query, d.at)
	var (
		value *float64
		note  string
	)
	if err == nil {
		value, note, err = single(a, answer.value)
	}
	switch {
	case err != nil:
		p := problem(a.key, err)
		return &p
	case value != nil:
		return nil
	}
	for _, vs := range selectorsOf(a.expr) {
		message, err := d.selector(ctx, vs)
		if err != nil {
			p := problem(a.key, err)
			return &p
		}
		if message != "" {
			return &CheckProblem{Key: a.key, Message: message}
		}
	}
	if answer.value.kind == model.ValVector && len(answer.value.rows) == 0 {
		note = "each selector matches series, and together they leave nothing: " +
			"do the two sides of an operator have the same labels, and the counters two samples in the range?"
	}
	return &CheckProblem{Key: a.key, Message: strings.TrimPrefix(note, a.key+": ")}
}

// selectorsOf returns the selectors of an expression, each without offset.
func selectorsOf(expr parser.Expr) []*parser.VectorSelector {
	var found []*parser.VectorSelector
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if vs, ok := node.(*parser.VectorSelector); ok {
			found = append(found, &parser.VectorSelector{Name: vs.Name, LabelMatchers: vs.LabelMatchers})
		}
		return nil
	})
	return found
}
