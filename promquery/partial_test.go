package promquery_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

func TestAnswerWithoutSomeOfTheDataIsNoAnswer(t *testing.T) {
	for name, warning := range map[string]string{
		"Thanos knows no store":       "No StoreAPIs matched for this query",
		"a store of Thanos broke off": `receive series from Addr: 10.1.2.3:10901 LabelSets: {cluster="eu"} MinTime: 1 MaxTime: 2: rpc error: code = Unavailable desc = connection refused`,
		"a store of Thanos is slow":   "failed to receive any data in 5s from Addr: 10.1.2.3:10901: context canceled",
		"a store cannot be asked":     "fetch series for {cluster=\"eu\"} Addr: 10.1.2.3:10901: context deadline exceeded",
		"said in general":             "Partial response: some series are missing",
		"a store that failed":         "store 10.1.2.3:10901 failed",
		"Prometheus with remote read": "remote_read: error sending request: Post \"http://reader:hunter2@storage/read\": connection refused",
		"a second line and a control": "partial response\tof\nstack trace",
	} {
		t.Run(name, func(t *testing.T) {
			f := fake{parts: remarking(matrix(healthyBuckets), "PromQL warning: bucket label", warning)}
			results := client(t, serve(t, f), nil).Observe(t.Context(), []config.Dependency{dependency("bad_seconds"), dependency("good_seconds")}, noon)
			wantError(t, results[0].Err, promquery.KindPartial, "parts query: the server answered without some of its data (partial response): ")
			wantReason(t, results[0].Err, latency.ReasonPartialResponse)
			fresh(t, results[1])
			message := results[0].Err.Error()
			if strings.ContainsAny(message, "\n\t") || strings.Contains(message, "hunter2") {
				t.Errorf("the message %q holds what it must not", message)
			}
			var e *promquery.Error
			if !errors.As(results[0].Err, &e) || e.Status() != latency.StatusQueryFailed {
				t.Errorf("status %s, want %s", e.Status(), latency.StatusQueryFailed)
			}
		})
	}
}

func TestOtherRemarksOfTheServerAreNotes(t *testing.T) {
	for _, remark := range []string{
		"PromQL warning: vector contains a mix of classic and native histograms for metric name store_failed",
		"PromQL info: metric might not be a counter: partial response",
		"results are rounded to the step",
		"restored series may be counted twice",
	} {
		o := observed(t, fake{parts: remarking(matrix(healthyBuckets), remark)}, dependency("bad_seconds"))
		diff(t, "notes", []string{remark}, o.Notes)
	}
}
