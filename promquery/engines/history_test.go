package engines_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
)

// evening is the moment that all questions are about.
var evening = time.Date(2024, time.May, 1, 18, 0, 0, 0, time.UTC)

// scrape is how often series have samples.
const scrape = 15 * time.Second

// history is series with samples, to be loaded into an engine.
type history struct {
	order  []string // by metric, since an exposition keeps a metric together
	series map[string][]sampled
}

type sampled struct {
	labels string
	at     []time.Time
	value  []float64
}

// add writes one series from so long before the evening until so long before.
func (h *history) add(metric, labels string, from, to time.Duration, value func(i int) float64) {
	if h.series == nil {
		h.series = map[string][]sampled{}
	}
	if _, there := h.series[metric]; !there {
		h.order = append(h.order, metric)
	}
	s := sampled{labels: labels}
	for at := evening.Add(-from); !at.After(evening.Add(-to)); at = at.Add(scrape) {
		s.value = append(s.value, value(len(s.at)))
		s.at = append(s.at, at)
	}
	h.series[metric] = append(h.series[metric], s)
}

const always = 4 * time.Hour // two windows and what a range looks back for

// histogram is a classic histogram that counts calls between two samples.
type histogram struct {
	name, labels string
	bounds       []float64 // in its own unit
	calls        float64
	cdf          func(bound float64) float64
	from, to     time.Duration
	resetAt      int // sample at which the process starts anew; 0: never
}

func (h *history) histogram(o histogram) {
	if o.from == 0 {
		o.from = always
	}
	since := func(i int) float64 {
		if o.resetAt > 0 && i >= o.resetAt {
			return float64(i - o.resetAt)
		}
		return float64(i)
	}
	for _, bound := range append(o.bounds, math.Inf(1)) {
		labels := strings.TrimPrefix(fmt.Sprintf("%s,le=%q", o.labels, fmt.Sprint(bound)), ",")
		h.add(o.name+"_bucket", labels, o.from, o.to, func(i int) float64 { return math.Round(o.calls * since(i) * o.cdf(bound)) })
	}
	h.add(o.name+"_sum", o.labels, o.from, o.to, func(i int) float64 { return o.calls * since(i) * 0.25 })
	h.add(o.name+"_count", o.labels, o.from, o.to, func(i int) float64 { return o.calls * since(i) })
}

// exposition writes everything with timestamps in units of the given length.
func (h *history) exposition(unit time.Duration) []byte {
	var out bytes.Buffer
	for _, metric := range h.order {
		for _, s := range h.series[metric] {
			for i, at := range s.at {
				fmt.Fprintf(&out, "%s{%s} %g %d\n", metric, s.labels, s.value[i], at.UnixNano()/int64(unit))
			}
		}
	}
	return out.Bytes()
}

// lognormal is the distribution function of a lognormal.
func lognormal(median, sigma float64) func(float64) float64 {
	return func(x float64) float64 { return 0.5 * math.Erfc(-math.Log(x/median)/(sigma*math.Sqrt2)) }
}

// hostile is a label value with all that has to be escaped.
const hostile = "pay\"ments\\{}\n} or vector(1) # é🙂"

func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)
}

// past is what every engine of these tests knows.
func past() *history {
	h := &history{}
	bounds := []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	usual := lognormal(0.18, 0.8)
	for _, pod := range []string{"a", "b", "c"} {
		h.histogram(histogram{name: "steady_seconds", labels: fmt.Sprintf(`job="steady",pod=%q`, pod), bounds: bounds, calls: 5000, cdf: usual})
	}
	h.histogram(histogram{name: "steady_milliseconds", labels: `job="steady"`, bounds: []float64{50, 100, 250, 700, 1000, 5000}, calls: 5000,
		cdf: func(ms float64) float64 { return usual(ms / 1000) }})
	h.histogram(histogram{name: "restarted_seconds", bounds: bounds, calls: 5000, cdf: usual, resetAt: 850})
	h.histogram(histogram{name: "hostile_seconds", labels: `server="` + escaped(hostile) + `"`, bounds: bounds, calls: 5000, cdf: usual})
	h.histogram(histogram{name: "hostile_seconds", labels: `server="other"`, bounds: bounds, calls: 9000, cdf: lognormal(5, 1)})
	h.histogram(histogram{name: "deployed_seconds", labels: `pod="old"`, bounds: bounds, calls: 5000, cdf: usual, to: 30 * time.Minute})
	h.histogram(histogram{name: "deployed_seconds", labels: `pod="new"`, bounds: bounds, calls: 5000, cdf: usual, from: 30 * time.Minute})
	h.histogram(histogram{name: "gone_seconds", bounds: bounds, calls: 5000, cdf: usual, to: 3 * time.Hour})
	h.histogram(histogram{name: "idle_seconds", bounds: bounds, calls: 0, cdf: usual})
	h.histogram(histogram{name: "beyond_seconds", bounds: []float64{0.05, 0.1, 0.5}, calls: 5000, cdf: usual})
	for quantile, value := range map[string]float64{"0.5": 0.18, "0.99": 1.4} {
		h.add("summary_seconds", fmt.Sprintf("quantile=%q", quantile), always, 0, func(int) float64 { return value })
	}
	h.add("summary_seconds_count", "", always, 0, func(i int) float64 { return float64(10 * i) })
	h.add("errors_total", `job="steady"`, always, 0, func(i int) float64 { return float64(3 * i) })
	h.add("attempts_total", `job="steady"`, always, 0, func(i int) float64 { return float64(1000 * i) })
	h.add("temperature", `room="a"`, always, 0, func(int) float64 { return 20 })
	return h
}
