package config

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// The quantiles that must be known, as people write them.
const (
	p50 = 0.5
	p99 = 0.99
)

// readQuantiles reads a mapping of quantiles to PromQL over those of the
// defaults.
func readQuantiles(v value, d *draft) {
	pairs, _ := v.pairs()
	if len(pairs) == 0 {
		return
	}
	d.quantilesAt = v.path
	all := slices.Clone(d.Latency.Quantiles) // the defaults keep theirs
	spelled := map[float64]string{}
	sound := true
	for _, pair := range pairs {
		p, ok := pair.value.quantile(pair.key)
		if first, twice := spelled[p]; ok && twice {
			pair.value.refuse("is the same quantile as %s", show(first))
			ok = false
		}
		query := ""
		if ok {
			spelled[p] = pair.key
			query, ok = pair.value.promql(forQuantile)
		}
		if !ok {
			sound = false
			continue
		}
		all = slices.DeleteFunc(all, func(q Quantile) bool { return q.P == p })
		all = append(all, Quantile{P: p, Query: query})
	}
	slices.SortFunc(all, func(a, b Quantile) int { return cmp.Compare(a.P, b.P) })
	d.Latency.Quantiles = all
	if !sound {
		v.seen[v.path] = mark{line: v.line}
	}
}

// quantile reads the key of a quantile: 0.5 or "0.99", and not 99.
func (v value) quantile(key string) (float64, bool) {
	p, isNumber := decimal(key)
	switch {
	case isNumber && p >= p50 && p < 1:
		return p, true
	case isNumber && p >= 100*p50 && p < 100:
		v.refuse("must have a quantile from 0.5 to below 1 for its key, got %s; %s?", show(key), strconv.FormatFloat(p/100, 'g', 6, 64))
	default:
		v.refuse("must have a quantile from 0.5 to below 1 for its key, got %s", show(key))
	}
	return 0, false
}

func readReplicaLabel(v value, d *draft) {
	text, ok := v.scalar("a label name")
	switch {
	case !ok:
	case !model.UTF8Validation.IsValidLabelName(text) || len(text) > maxName:
		v.refuse("must be a label name%s", v.got())
	case text == model.MetricNameLabel || text == labels.BucketLabel:
		v.refuse("must be a label that replicas differ in%s", v.got())
	case !groupsBy(text):
		v.refuse("must be a label name that PromQL can group by%s", v.got())
	default:
		d.Latency.ReplicaLabel = text
	}
}

// groupsBy says that PromQL reads the label in by (…) as it prints it. It
// takes inf and nan for numbers there.
func groupsBy(label string) bool {
	sum := &parser.AggregateExpr{Op: parser.SUM, Expr: &parser.VectorSelector{Name: "x"}, Grouping: []string{label}}
	expr, err := newParser().ParseExpr(sum.String())
	if err != nil {
		return false
	}
	read, ok := expr.(*parser.AggregateExpr)
	return ok && slices.Equal(read.Grouping, sum.Grouping)
}

// missingQuantiles names the needed quantiles that are not set.
func missingQuantiles(set []Quantile) []string {
	var missing []string
	for _, p := range []float64{p50, p99} {
		if !slices.ContainsFunc(set, func(q Quantile) bool { return q.P == p }) {
			missing = append(missing, strconv.Quote(strconv.FormatFloat(p, 'g', -1, 64)))
		}
	}
	return missing
}
