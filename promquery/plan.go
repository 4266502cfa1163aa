package promquery

import (
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// What a query is asked for.
const (
	purposeScrapes    = "scrapes"
	purposeNames      = "names"
	purposeBuckets    = "buckets"
	purposeParts      = "parts"
	purposeQuantiles  = "quantiles"
	purposeReplicas   = "replicas"
	purposeSummary    = "summary"
	purposeQuantile   = "quantile-" // and the quantile
	purposeErrorRatio = "error-ratio"
	purposeHistory    = "history"
	purposeObserved   = "observed-" // and the counter's name
	purposeBefore     = "-before"   // after the purpose: for the window before
)

// Labels that tell the parts of one answer from each other.
const (
	statLabel     = "stat"
	sumLabel      = "stat"
	quantileLabel = "quantile"
)

// The stats of the scrapes query, each after its form: "classic samples", ….
const (
	statSamples = "samples" // samples per series over the window
	statSeries  = "series"  // series with samples in the window
	statBorn    = "born"    // series alive now that were not when the window began
	statLayout  = "layout"  // series per bound
)

// sampleQuantile picks the honest number of samples among the series: low, so
// that slow scrapes count, and not the minimum, so that one replica that was
// away for a while does not make the data of all others look thin.
const sampleQuantile = 0.1

// scrapesQuery asks, for each form that the kind admits, how many samples its
// series have, how many series there are, how many were born inside the window,
// and for classic ones how many series have each bound.
func scrapesQuery(l config.Latency, window time.Duration) parser.Expr {
	var answers []parser.Expr
	for _, f := range forms(l.Kind) {
		answers = append(answers, surveyOf(f, l, window)...)
	}
	return chain(parser.LOR, answers[0], answers[1:]...)
}

func surveyOf(f form, l config.Latency, window time.Duration) []parser.Expr {
	totals := f.totals(l)
	stat := func(name string, expr parser.Expr) parser.Expr {
		return tag(expr, statLabel, string(f)+" "+name)
	}
	answers := []parser.Expr{
		stat(statSamples, samplesPerSeries(f, totals, window)),
		stat(statSeries, aggregate(parser.COUNT, f.histograms(over("last_over_time", totals, window)))),
		stat(statBorn, aggregate(parser.COUNT,
			chain(parser.LUNLESS, f.histograms(totals), before(totals, window)))),
	}
	if f == classic {
		layout := aggregate(parser.COUNT, over("last_over_time", f.buckets(l), window), labels.BucketLabel)
		answers = append(answers, stat(statLayout, layout))
	}
	return answers
}

// samplesPerSeries is taken over the series that lived through the whole
// window, since one that was born or ended inside it has fewer samples and yet
// as many per part while it lived. Where none lived that long, the series with
// the most samples stands in.
func samplesPerSeries(f form, totals *parser.VectorSelector, window time.Duration) parser.Expr {
	samples := over("count_over_time", totals, window)
	throughout := chain(parser.LAND, samples, f.histograms(totals), before(totals, window))
	return chain(parser.LOR, lowQuantile(sampleQuantile, throughout), aggregate(parser.MAX, samplesOf(f, totals, window)))
}

// samplesOf counts the samples of each histogram in the window.
func samplesOf(f form, totals *parser.VectorSelector, window time.Duration) parser.Expr {
	samples := over("count_over_time", totals, window)
	if f == native {
		return chain(parser.LAND, samples, f.histograms(over("last_over_time", totals, window)))
	}
	return samples
}

// bucketsQuery asks for the counts of the window, and for the sum of the values,
// which a native answer carries anyway.
func bucketsQuery(f form, l config.Latency, window time.Duration) parser.Expr {
	counts := f.merged(over("increase", f.buckets(l), window))
	if f == native {
		return counts
	}
	sum := aggregate(parser.SUM, over("increase", series(l.Histogram+"_sum", l.Matchers...), window))
	return chain(parser.LOR, counts, tag(sum, sumLabel, "sum"))
}

// partsQuery asks for the counts of one part of the window, at those bounds
// alone at which parts are read. A native histogram cannot be asked for less.
func partsQuery(f form, l config.Latency, les []string, part time.Duration) parser.Expr {
	vs := f.buckets(l)
	if f == classic {
		vs.LabelMatchers = append(vs.LabelMatchers, oneOf(labels.BucketLabel, les))
	}
	return f.merged(over("increase", vs, part))
}

// quantilesQuery asks for p50 and p99 as a dashboard would. The answer over
// classic buckets is worked out here, and the query is told all the same.
func quantilesQuery(f form, l config.Latency, window time.Duration) parser.Expr {
	ask := func(q float64, name string) parser.Expr {
		rates := f.merged(over("rate", f.buckets(l), window))
		return tag(call("histogram_quantile", number(q), rates), quantileLabel, name)
	}
	return chain(parser.LOR, ask(0.5, "0.5"), ask(0.99, "0.99"))
}

// samplesMark stands in the label le of the elements that count a replica's
// samples. Of all labels le alone is never the one that tells replicas apart.
const samplesMark = "samples"

// replicasQuery asks for the counts of the whole window by replica, and for the
// number of samples: the most that a series of the replica has, since all of
// them are scraped at once, and one that was born late has fewer.
func replicasQuery(f form, l config.Latency, window time.Duration) parser.Expr {
	counts := f.merged(over("increase", f.buckets(l), window), l.ReplicaLabel)
	samples := aggregate(parser.MAX, samplesOf(f, f.totals(l), window), l.ReplicaLabel)
	return chain(parser.LOR, counts, tag(samples, labels.BucketLabel, samplesMark))
}

// summaryQuery asks for the median and p99 of a summary. Quantiles cannot be
// averaged or added up, so it takes the largest of all series, and asks how
// many these are.
func summaryQuery(l config.Latency) parser.Expr {
	largest := aggregate(parser.MAX, quantileSeries(l), quantileLabel)
	series := aggregate(parser.COUNT, quantileSeries(l), quantileLabel)
	return chain(parser.LOR, largest, tag(series, statLabel, statSeries))
}

// quantileSeries selects 0.5 and 0.99 of a summary, with more zeros too.
func quantileSeries(l config.Latency) *parser.VectorSelector {
	needed := labels.MustNewMatcher(labels.MatchRegexp, quantileLabel, `0\.50*|0\.990*`)
	return series(l.Histogram, append([]*labels.Matcher{needed}, l.Matchers...)...)
}

// parts divides a window in which each series has m samples: 12 parts at most,
// each with 4 samples at least (docs/model.md §2), so one part below 8 samples.
func parts(m float64) int {
	return max(1, min(12, int(m/4)))
}
