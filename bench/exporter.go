package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

const (
	histogramName = "bench_client_seconds"
	replicas      = 2
	callsPerStep  = 400 // of a dependency on one replica between two samples
	step          = 10 * time.Second
)

// bounds are 12 buckets with +Inf.
func bounds() []float64 {
	return []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, math.Inf(1)}
}

// peer is the label value of a dependency.
func peer(i int) string { return fmt.Sprintf("service-%05d", i) }

// exporter serves the histograms of n dependencies. Each scrape of a replica
// gets samples one step later than the one before, beginning at start.
type exporter struct {
	server *httptest.Server
	nodes  [replicas]*node
}

// node is one replica: what it has counted, by dependency and bin.
type node struct {
	mu     sync.Mutex
	random *rand.Rand
	at     time.Time
	last   time.Time // no samples after that
	counts [][]float64
	shares [][]float64
}

func newExporter(n int, start, last time.Time) *exporter {
	e := &exporter{}
	mux := http.NewServeMux()
	for r := range e.nodes {
		node := &node{random: rand.New(rand.NewPCG(uint64(n), uint64(r))), at: start, last: last}
		for i := range n {
			node.shares = append(node.shares, shares(i))
			node.counts = append(node.counts, make([]float64, len(bounds())))
		}
		e.nodes[r] = node
		mux.Handle(fmt.Sprintf("/replica/%d", r), node)
	}
	e.server = httptest.NewServer(mux)
	return e
}

// shares is the distribution of a dependency over the bins: a lognormal, of
// which every dependency has another median.
func shares(i int) []float64 {
	median, sigma := 0.02*math.Exp2(float64(i%13)/4), 0.7+0.05*float64(i%7)
	var found []float64
	below := 0.0
	for _, bound := range bounds() {
		cdf := 0.5 * math.Erfc(-(math.Log(bound)-math.Log(median))/(sigma*math.Sqrt2))
		found = append(found, cdf-below)
		below = cdf
	}
	return found
}

// ServeHTTP answers one scrape, and with nothing once the history is complete.
func (n *node) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	if n.at.After(n.last) {
		return
	}
	n.count()
	stamp := strconv.FormatInt(n.at.UnixMilli(), 10)
	var page bytes.Buffer
	page.WriteString("# TYPE " + histogramName + " histogram\n")
	for i, counts := range n.counts {
		n.write(&page, peer(i), counts, stamp)
	}
	n.at = n.at.Add(step)
	_, _ = w.Write(page.Bytes())
}

// count adds the calls of one step, with the noise of independent calls.
func (n *node) count() {
	for i, counts := range n.counts {
		for b, share := range n.shares[i] {
			mean := callsPerStep * share
			counts[b] += max(0, math.Round(mean+math.Sqrt(mean)*n.random.NormFloat64()))
		}
	}
}

func (n *node) write(page *bytes.Buffer, peer string, counts []float64, stamp string) {
	total := 0.0
	for b, bound := range bounds() {
		total += counts[b]
		fmt.Fprintf(page, "%s_bucket{peer=%q,le=%q} %.0f %s\n", histogramName, peer, formatBound(bound), total, stamp)
	}
	fmt.Fprintf(page, "%s_sum{peer=%q} %.0f %s\n%s_count{peer=%q} %.0f %s\n", histogramName, peer, total/20, stamp, histogramName, peer, total, stamp)
}

func formatBound(bound float64) string {
	if math.IsInf(bound, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(bound, 'g', -1, 64)
}

// complete reports whether every replica has served its whole history.
func (e *exporter) complete() bool {
	for _, n := range e.nodes {
		n.mu.Lock()
		done := n.at.After(n.last)
		n.mu.Unlock()
		if !done {
			return false
		}
	}
	return true
}
