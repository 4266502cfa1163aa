package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplicaLabelIsOneThatPromQLCanGroupBy(t *testing.T) {
	for label, want := range map[string]bool{
		"pod": true, "instance": true, "pod.name": true, `a"b`: true, "größe": true, "by": true, "sum": true, "offset": true, "bool": true,
		"inf": false, "NaN": false,
	} {
		if got := groupsBy(label); got != want {
			t.Errorf("by (%s): %v, want %v", label, got, want)
		}
	}
}

func TestQuantilesThatDoNotLookLikeSecondsNeedAUnit(t *testing.T) {
	for name, want := range map[string]bool{
		"rpc_seconds": false, "job:rpc:p99": false, "p99": false, "rpc_latency_p99": false, "ms_gateway_seconds": false, "rooms": false,
		"rpc_ms": true, "rpc_p99_ms": true, "job:rpc_milliseconds:p99": true, "rpc_milliseconds_bucket": true,
		"envoy_cluster_upstream_rq_time": true, "rpc.latency.us": true, "rpc_nanoseconds_p99": true,
	} {
		if got := namesOtherUnit(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// What a server knows to be counters can be told from these names.
func TestBareReadingsAreTheMetricsReadByTheirLevel(t *testing.T) {
	for query, want := range map[string][]string{
		`sum(rate(errors[5m])) / sum(requests)`:               {"requests"},
		`max_over_time(queue[5m]) + queue + {"a.b"} * on() c`: {"queue", "a.b", "c"},
		`job:errors:rate5m / count(requests) + absent(x)`:     nil,
		`{__name__=~"errors|faults"}`:                         {"errors|faults"},
		`rate(sum(errors)[5m:1m])`:                            nil,
		`42`:                                                  nil,
	} {
		expr, err := newParser().ParseExpr(query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, BareReadings(expr)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}
