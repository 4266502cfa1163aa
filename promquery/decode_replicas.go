package promquery

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// mostReplicas bounds how many replicas of one dependency are compared.
const mostReplicas = 500

// replicaAnswer is what the replicas query says of one replica.
type replicaAnswer struct {
	counts  cumulative // classic
	sample  *model.SampleHistogram
	samples float64 // 0: not answered
	err     *Error
}

// readReplicas puts the window by replica into the observation. A replica that
// cannot be read is a note: the others can be.
func (h histogramQuestion) readReplicas(o *latency.Observation, r reply) *Error {
	vector, err := elements(r.value)
	if err != nil {
		return err
	}
	answers := map[string]*replicaAnswer{}
	for _, sample := range vector {
		name := sample.value(model.LabelName(h.latency.ReplicaLabel))
		a := answers[name]
		if a == nil {
			a = &replicaAnswer{}
			answers[name] = a
		}
		a.add(sample, h.survey.form)
	}
	var samples []*model.SampleHistogram
	for _, a := range answers {
		samples = append(samples, a.sample)
	}
	scheme := schemeOf(samples)
	var replicas []latency.Replica
	var failed []string
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		switch p := answers[name].part(scheme, unit(h.latency.UnitScale)); {
		case p.err != nil:
			failed = append(failed, fmt.Sprintf("replica %q cannot be read: %s", line(name), p.err.Message))
		case p.present:
			replicas = append(replicas, latency.Replica{Name: name, Histogram: p.hist, Scrapes: cmp.Or(answers[name].samples, h.survey.samples)})
		}
	}
	o.Notes = append(o.Notes, firstFew(failed)...)
	if len(replicas) == 1 && replicas[0].Name == "" {
		o.Notes = append(o.Notes, fmt.Sprintf("no series has the label %s of latency.replica_label, so no replica can be told from another", h.latency.ReplicaLabel))
	}
	if n := len(replicas); n > mostReplicas {
		o.Notes = append(o.Notes, fmt.Sprintf("%d replicas by %s, of which the %d with the most calls are compared", n, h.latency.ReplicaLabel, mostReplicas))
		replicas = busiest(replicas, mostReplicas)
	}
	o.Replicas = replicas
	return nil
}

func (a *replicaAnswer) add(sample row, f form) {
	v := sample.point()
	var err *Error
	switch le := sample.value(model.BucketLabel); {
	case le == samplesMark && v.histogram == nil:
		if v.number > 0 && !math.IsInf(v.number, 1) {
			a.samples = v.number
		}
	case f == classic:
		err = a.counts.addBucket(sample.labelSet, v)
	case v.histogram == nil:
		err = noHistogram("it has plain numbers beside native histograms")
	default:
		a.sample = v.histogram
	}
	if a.err == nil {
		a.err = err
	}
}

// part decodes the counts of one replica; the scheme is that of native ones.
func (a *replicaAnswer) part(scheme latency.Scheme, u unit) part {
	switch {
	case a.err != nil:
		return part{err: a.err}
	case a.sample == nil:
		return a.counts.part(u)
	}
	hist, err := nativeHistogram(a.sample, scheme, u)
	return part{present: true, hist: hist, err: err}
}

// busiest keeps the n replicas with the most calls, in the order they have: of
// a replica with few calls it can hardly be shown that it is slow.
func busiest(replicas []latency.Replica, n int) []latency.Replica {
	totals := make(map[string]float64, len(replicas))
	for _, r := range replicas {
		totals[r.Name] = r.Histogram.Total()
	}
	slices.SortStableFunc(replicas, func(a, b latency.Replica) int { return cmp.Compare(totals[b.Name], totals[a.Name]) })
	kept := replicas[:n:n]
	slices.SortFunc(kept, func(a, b latency.Replica) int { return cmp.Compare(a.Name, b.Name) })
	return kept
}

// firstFew keeps a long list of notes short.
func firstFew(notes []string) []string {
	const shown = 3
	if len(notes) <= shown {
		return notes
	}
	return append(notes[:shown:shown], fmt.Sprintf("and %d replicas more cannot be read", len(notes)-shown))
}
