package promquery

import (
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
)

// canned answers each endpoint with a fixed body, without a network.
type canned struct{ scrapes, buckets string }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := c.scrapes
	if strings.HasSuffix(r.URL.Path, "query_range") {
		body = c.buckets
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(body)),
		Request:    r,
	}, nil
}

// FuzzReply feeds any reply through the whole path from JSON to observation.
// Whatever comes, nothing panics, and what is handed on is a histogram: finite
// counts of at least 0 in ascending disjoint bins.
func FuzzReply(f *testing.F) {
	at := time.Unix(1714564800, 0).UTC()
	scrapes := `{"status":"success","data":{"resultType":"vector","result":[
		{"metric":{"stat":"FORM samples"},"value":[1714564800,"8"]},{"metric":{"stat":"FORM series"},"value":[1714564800,"2"]}]}}`
	classicScrapes, nativeScrapes := strings.ReplaceAll(scrapes, "FORM", "classic"), strings.ReplaceAll(scrapes, "FORM", "native")
	for _, seed := range []struct{ scrapes, buckets string }{
		{classicScrapes, `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"le":"0.1"},"values":[[1714563000,"3"],[1714564800,"4.5"]]},
			{"metric":{"le":"+Inf"},"values":[[1714563000,"3"],[1714564800,"5"]]},
			{"metric":{"stat":"sum"},"values":[[1714564800,"0.7"]]}]}}`},
		{nativeScrapes, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"histograms":[
			[1714564800,{"count":"6","sum":"3","buckets":[[3,"-0.001","0.001","1"],[0,"0.5","1","5"]]}]]}]}}`},
		{nativeScrapes, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"histograms":[
			[1714564800,{"count":"6","sum":"NaN","buckets":[[0,"-Inf","0.1","1"],[0,"10","+Inf","5"]]}]]}]}}`},
		{`{"status":"success","data":{"resultType":"vector","result":[
			{"metric":{"stat":"classic samples","le":"1","pod":"a"},"value":[1714564800,"8"]},{"metric":{"stat":"classic series","le":"+Inf","pod":"a"},"value":[1714564800,"9"]},
			{"metric":{"le":"samples","pod":"a","stat":"classic born"},"value":[1714564800,"5"]}]}}`, `{"status":"success","data":{"resultType":"matrix","result":[]}}`},
		{`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"quantile":"0.5"},"value":[1714564800,"0.2"]},
			{"metric":{"quantile":"0.99"},"value":[1714564800,"NaN"]},{"metric":{"quantile":"0.5","stat":"series"},"value":[1714564800,"2"]}]}}`, ``},
		{`{"status":"success","data":{"resultType":"scalar","result":[1714564800,"0.2"]},"warnings":["No StoreAPIs matched for this query"]}`, ``},
		{`{"status":"success","data":{"resultType":"scalar","result":[1714564800,"0.2"]}}`, ``},
		{`{"status":"success","data":{"resultType":"vector","result":[null]}}`, ``},
		{classicScrapes, `{"status":"success","data":{"resultType":"matrix","result":[null,{"values":[[1714564800,"NaN"]]}]}}`},
		{`{"status":"error","errorType":"x","error":"\u0000"}`, `<html>`},
		{`[]`, `{"status":"success","data":{"resultType":"scalar","result":[1,"x"]}}`},
	} {
		f.Add(seed.scrapes, seed.buckets)
	}
	base, err := New(Options{Prometheus: config.Prometheus{URL: "http://prometheus.example"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, scrapes, buckets string) {
		s := *base.sender
		c := &Client{sender: &s, plan: newPlanner()}
		s.http = &http.Client{Transport: &boundedTransport{next: canned{scrapes, buckets}, max: 1 << 20}}
		histogram := config.Dependency{Window: time.Hour, Latency: config.Latency{Histogram: "x", Kind: "auto", UnitScale: 0.001, ReplicaLabel: "pod"}}
		summarized := config.Dependency{Window: time.Hour, Latency: config.Latency{Histogram: "x", Kind: summary, UnitScale: 0.001}}
		quantiles := config.Dependency{Window: time.Hour, Latency: config.Latency{Quantiles: []config.Quantile{{P: 0.5, Query: "x"}, {P: 0.99, Query: "y"}}}}
		for _, r := range c.Observe(context.Background(), []config.Dependency{histogram, summarized, quantiles}, at) {
			checkResult(t, r)
		}
	})
}

func checkResult(t *testing.T, r Result) {
	t.Helper()
	o := r.Observation
	if r.Err != nil && r.Err.Error() == "" {
		t.Error("an error without a message")
	}
	for _, w := range []latency.Window{o.Now, o.Before} {
		for _, h := range w.Parts {
			checkHistogram(t, h)
		}
	}
	for i, replica := range o.Replicas {
		checkHistogram(t, replica.Histogram)
		if i > 0 && replica.Name <= o.Replicas[i-1].Name || !(replica.Scrapes > 0) || math.IsInf(replica.Scrapes, 0) {
			t.Errorf("replica %d is %+v", i, replica)
		}
	}
	if r.Err == nil && o.QuantilesOnly && (o.P50 == nil || o.P99 == nil || !(*o.P50 > 0) || !(*o.P99 >= *o.P50) || math.IsInf(*o.P99, 0)) {
		t.Errorf("quantiles %v", o.Quantiles)
	}
}

func checkHistogram(t *testing.T, h latency.Histogram) {
	t.Helper()
	below := math.Inf(-1)
	for _, b := range h.Bins {
		if !(b.Count >= 0) || math.IsInf(b.Count, 0) {
			t.Errorf("a bin holds %v values", b.Count)
		}
		if !(b.Lower >= below) || !(b.Upper >= b.Lower) {
			t.Errorf("bins overlap or run backwards: %+v", h.Bins)
		}
		below = b.Upper
	}
	if h.Sum != nil && (math.IsNaN(*h.Sum) || math.IsInf(*h.Sum, 0)) {
		t.Errorf("the sum is %v", *h.Sum)
	}
}
