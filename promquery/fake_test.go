package promquery_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// noon is the moment that the tests on the fake server ask about.
var noon = time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)

// fake answers the HTTP API. Without more it knows one healthy classic
// histogram of three series, scraped every 15 s; a test replaces the answers it
// is about. Replacements hold for queries with the text bad_ alone, so that a
// second dependency shows whether the trouble stays where it is.
type fake struct {
	scrapes, replicas, summary, names, other http.HandlerFunc

	buckets http.HandlerFunc // a range answer: the parts, and added up the window
	parts   http.HandlerFunc // the parts alone
}

func (f fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.FormValue("query")
	bad := strings.Contains(query, "bad_")
	pick := func(replaced, usual http.HandlerFunc) {
		if bad && replaced != nil {
			replaced(w, r)
			return
		}
		usual(w, r)
	}
	switch {
	case strings.Contains(query, "increase(") && r.FormValue("step") == "" && !strings.Contains(query, samplesOfReplicas):
		windowOf(pickHandler(bad, f.buckets, matrix(healthyBuckets)))(w, r)
	case strings.HasSuffix(r.URL.Path, "/api/v1/query_range"):
		pick(pickHandler(f.parts != nil, f.parts, f.buckets), matrix(healthyBuckets))
	case strings.Contains(query, "classic samples") || strings.Contains(query, "native samples"):
		pick(f.scrapes, vector(healthyScrapes))
	case strings.Contains(query, "histogram_quantile"):
		pick(nil, vector(map[string]string{`"quantile":"0.5"`: "0.2", `"quantile":"0.99"`: "1.6"}))
	case strings.Contains(query, samplesOfReplicas):
		pick(f.replicas, vector(healthyReplicas))
	case strings.Contains(query, "quantile=~"):
		pick(f.summary, vector(healthySummary))
	case strings.Contains(query, "by (__name__)"):
		pick(f.names, vector(nil))
	default:
		pick(f.other, vector(map[string]string{"": "0.004"}))
	}
}

const samplesOfReplicas = `, "le", "samples", `

func pickHandler(bad bool, replaced, usual http.HandlerFunc) http.HandlerFunc {
	if bad && replaced != nil {
		return replaced
	}
	return usual
}

// windowOf answers an instant query for the whole window from the answer to a
// range query for its parts: with what the last 12 of 24 parts add up to. What
// is no range answer passes as it is.
func windowOf(parts http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at, _ := strconv.ParseFloat(r.FormValue("time"), 64)
		r.Form.Set("start", fmt.Sprint(at-23*300))
		r.Form.Set("end", fmt.Sprint(at))
		r.Form.Set("step", "300")
		recorded := httptest.NewRecorder()
		parts(recorded, r)
		var answer struct {
			Data struct {
				ResultType string
				Result     []struct {
					Metric     json.RawMessage
					Values     [][2]any
					Histograms []json.RawMessage
				}
			}
		}
		if json.Unmarshal(recorded.Body.Bytes(), &answer) != nil || answer.Data.ResultType != "matrix" {
			maps.Copy(w.Header(), recorded.Header())
			w.WriteHeader(recorded.Code)
			_, _ = w.Write(recorded.Body.Bytes())
			return
		}
		var results []string
		for _, series := range answer.Data.Result {
			sum, n := 0.0, 0
			for _, point := range series.Values {
				if ts, _ := point[0].(float64); ts > at-12*300 {
					v, _ := strconv.ParseFloat(point[1].(string), 64)
					sum, n = sum+v, n+1
				}
			}
			switch {
			case n > 0:
				results = append(results, fmt.Sprintf(`{"metric":%s,"value":[%.3f,%q]}`, series.Metric, at, strconv.FormatFloat(sum, 'g', -1, 64)))
			case len(series.Histograms) > 0:
				results = append(results, fmt.Sprintf(`{"metric":%s,"histogram":%s}`, series.Metric, series.Histograms[0]))
			}
		}
		success(`{"resultType":"vector","result":[`+strings.Join(results, ",")+`]}`)(w, r)
	}
}

var healthyScrapes = map[string]string{
	`"stat":"classic samples"`:             "240",
	`"stat":"classic series"`:              "3",
	`"stat":"classic layout","le":"0.1"`:   "3",
	`"stat":"classic layout","le":"1.0"`:   "3",
	`"stat":"classic layout","le":"+Inf"`:  "3",
	`"stat":"classic layout","le":"weird"`: "3",
}

// with returns a changed copy; an empty value removes the key.
func with(m map[string]string, changes ...string) map[string]string {
	m = maps.Clone(m)
	for i := 0; i < len(changes); i += 2 {
		m[changes[i]] = changes[i+1]
		if changes[i+1] == "" {
			delete(m, changes[i])
		}
	}
	return m
}

var healthyBuckets = map[string]string{
	`"le":"0.1"`:   "30",
	`"le":"1.0"`:   "95",
	`"le":"+Inf"`:  "100",
	`"stat":"sum"`: "41",
}

var healthyReplicas = map[string]string{
	`"le":"0.1","pod":"a"`:     "360",
	`"le":"+Inf","pod":"a"`:    "400",
	`"le":"samples","pod":"a"`: "240",
	`"le":"0.1","pod":"b"`:     "10",
	`"le":"+Inf","pod":"b"`:    "40",
	`"le":"samples","pod":"b"`: "24",
}

var healthySummary = map[string]string{
	`"quantile":"0.5"`:                  "0.2",
	`"quantile":"0.99"`:                 "1.6",
	`"quantile":"0.5","stat":"series"`:  "3",
	`"quantile":"0.99","stat":"series"`: "3",
}

// vector answers with one element for each label text.
func vector(elements map[string]string) http.HandlerFunc {
	var results []string
	for _, labels := range slices.Sorted(maps.Keys(elements)) {
		results = append(results, fmt.Sprintf(`{"metric":{%s},"value":[%d,%q]}`, labels, noon.Unix(), elements[labels]))
	}
	return success(`{"resultType":"vector","result":[` + strings.Join(results, ",") + `]}`)
}

// matrix answers a range query with one constant series for each label text.
func matrix(series map[string]string) http.HandlerFunc {
	return matrixOf(slices.Sorted(maps.Keys(series)), func(labels string, _ int) string { return series[labels] })
}

// matrixOf answers a range query with the value of each series at each moment;
// "" is no sample.
func matrixOf(series []string, value func(labels string, i int) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start, _ := strconv.ParseFloat(r.FormValue("start"), 64)
		end, _ := strconv.ParseFloat(r.FormValue("end"), 64)
		step, _ := strconv.ParseFloat(r.FormValue("step"), 64)
		var results []string
		for _, labels := range series {
			var points []string
			for i := 0; start+float64(i)*step <= end+1e-6; i++ {
				if v := value(labels, i); v != "" {
					points = append(points, fmt.Sprintf(`[%.3f,%q]`, start+float64(i)*step, v))
				}
			}
			results = append(results, fmt.Sprintf(`{"metric":{%s},"values":[%s]}`, labels, strings.Join(points, ",")))
		}
		success(`{"resultType":"matrix","result":[`+strings.Join(results, ",")+`]}`)(w, r)
	}
}

func success(data string, warnings ...string) http.HandlerFunc {
	return text(http.StatusOK, "application/json", fmt.Sprintf(`{"status":"success","data":%s,"warnings":%s}`, data, jsonList(warnings)))
}

// remarking answers as another does, with warnings.
func remarking(answer http.HandlerFunc, warnings ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		answer(recorded, r)
		_, _ = io.WriteString(w, strings.Replace(recorded.Body.String(), `"warnings":[]`, `"warnings":`+jsonList(warnings), 1))
	}
}

func jsonList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = strconv.Quote(item)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

func text(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// client returns a client of a server at url; change may adjust its options.
func client(t *testing.T, url string, change func(*promquery.Options)) *promquery.Client {
	t.Helper()
	opts := promquery.Options{
		Prometheus: config.Prometheus{URL: url, QueryTimeout: 20 * time.Second, MaxConcurrentQueries: 4},
		UserAgent:  "timeout-auditor/test",
	}
	opts.Prometheus.HTTPClient.FollowRedirects = true
	if change != nil {
		change(&opts)
	}
	c, err := promquery.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dependency returns one that reads the named histogram over an hour.
func dependency(histogram string) config.Dependency {
	return config.Dependency{
		Name:    histogram,
		Window:  time.Hour,
		Latency: config.Latency{Histogram: histogram, Kind: "auto", UnitScale: 1},
		Policy:  config.Policy{Timeout: 500 * time.Millisecond},
	}
}

// fresh fails the test unless the result is a whole healthy observation.
func fresh(t *testing.T, r promquery.Result) {
	t.Helper()
	if r.Err != nil {
		t.Fatalf("the healthy dependency failed: %v", r.Err)
	}
	if got := len(r.Observation.Now.Parts); got != 12 {
		t.Errorf("the healthy dependency has %d parts, want 12", got)
	}
}

func diff(t *testing.T, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

var infinity = math.Inf(1)
