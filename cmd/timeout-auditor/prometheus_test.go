package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// cannedPrometheus answers the queries about three histograms, as of any time:
// below_seconds has 10% of its calls above 0.25 s, fine_seconds none, and
// everything else no series. Each window holds 36,000 calls in 12 parts.
func cannedPrometheus(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		query := r.Form.Get("query")
		answer := func(resultType string, result any) {
			w.Header().Set("Content-Type", "application/json")
			reply := map[string]any{"status": "success", "data": map[string]any{"resultType": resultType, "result": result}}
			text, err := json.Marshal(reply)
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(text) // a daemon that is told to end does not wait for it
		}
		above, known := map[bool]float64{true: 3600, false: 0}[strings.Contains(query, "below_seconds")],
			strings.Contains(query, "below_seconds") || strings.Contains(query, "fine_seconds")
		switch {
		case !known:
			answer(map[bool]string{true: "matrix", false: "vector"}[strings.HasSuffix(r.URL.Path, "query_range")], []any{})
		case strings.HasSuffix(r.URL.Path, "query_range") && strings.Contains(query, "count_over_time"):
			answer("matrix", []any{
				cannedSeries(r, map[string]string{"stat": "classic samples"}, 240),
				cannedSeries(r, map[string]string{"stat": "classic series"}, 2),
			})
		case strings.HasSuffix(r.URL.Path, "query_range"):
			answer("matrix", cannedParts(r, above))
		case strings.Contains(query, "increase("):
			var samples []any
			for _, bucket := range cannedBuckets(above) {
				samples = append(samples, cannedSample(map[string]string{"le": bucket.le}, bucket.count))
			}
			answer("vector", samples)
		case strings.Contains(query, "histogram_quantile"):
			answer("vector", []any{
				cannedSample(map[string]string{"quantile": "0.5"}, 0.1),
				cannedSample(map[string]string{"quantile": "0.99"}, map[bool]float64{true: 0.9, false: 0.24}[above > 0]),
			})
		default:
			answer("vector", []any{
				cannedSample(map[string]string{"stat": "classic samples"}, 240),
				cannedSample(map[string]string{"stat": "classic series"}, 2),
			})
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func cannedSample(labels map[string]string, value float64) map[string]any {
	return map[string]any{"metric": labels, "value": []any{1767225600, strconv.FormatFloat(value, 'g', -1, 64)}}
}

type cannedBucket struct {
	le    string
	count float64 // in the whole window
}

func cannedBuckets(above float64) []cannedBucket {
	const calls = 36000.0
	return []cannedBucket{{"0.1", calls / 2}, {"0.25", calls - above}, {"0.5", calls - above/2}, {"1", calls}, {"+Inf", calls}}
}

// cannedParts gives each step of the range the same counts.
func cannedParts(r *http.Request, above float64) []any {
	const parts = 12
	var series []any
	for _, bucket := range cannedBuckets(above) {
		series = append(series, cannedSeries(r, map[string]string{"le": bucket.le}, bucket.count/parts))
	}
	return series
}

// cannedSeries has one value at each step of the range.
func cannedSeries(r *http.Request, labels map[string]string, value float64) map[string]any {
	start, _ := strconv.ParseFloat(r.Form.Get("start"), 64)
	end, _ := strconv.ParseFloat(r.Form.Get("end"), 64)
	step, _ := strconv.ParseFloat(r.Form.Get("step"), 64)
	var values []any
	for at := start; at <= end+step/2; at += step {
		values = append(values, []any{at, fmt.Sprint(value)})
	}
	return map[string]any{"metric": labels, "values": values}
}
