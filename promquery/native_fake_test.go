package promquery_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// exponentialSample is a native histogram of schema 0 with a zero bucket.
const exponentialSample = `{"count":"103","sum":"60","buckets":[[3,"-0.001","0.001","3"],[0,"0.125","0.25","40"],[0,"0.5","1","60"]]}`

// nativeMatrix answers a range query with one series whose every sample is the
// given histogram.
func nativeMatrix(labels, histogram string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start, _ := strconv.ParseFloat(r.FormValue("start"), 64)
		end, _ := strconv.ParseFloat(r.FormValue("end"), 64)
		step, _ := strconv.ParseFloat(r.FormValue("step"), 64)
		var points []string
		for at := start; at <= end+1e-6; at += step {
			points = append(points, fmt.Sprintf(`[%.3f,%s]`, at, histogram))
		}
		success(fmt.Sprintf(`{"resultType":"matrix","result":[{"metric":{%s},"histograms":[%s]}]}`, labels, strings.Join(points, ",")))(w, r)
	}
}
