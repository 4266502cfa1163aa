package config

import "testing"

func TestUnitFollowsTheKeyAndElseTheName(t *testing.T) {
	for _, tc := range []struct {
		unit, histogram string
		want            float64
	}{
		{"auto", "http_client_request_duration_seconds", 1},
		{"auto", "http_request_duration", 1},
		{"auto", "istio_request_duration_milliseconds", 0.001},
		{"auto", "response_latency_ms", 0.001},
		{"auto", "kong_upstream_latency_ms", 0.001},
		{"auto", "rpc_millis", 0.001},
		{"auto", "http.client.duration.ms", 0.001},
		{"auto", "RPC.Duration.MILLISECONDS", 0.001},
		{"auto", "job:rpc_milliseconds:sum", 0.001},
		{"auto", "app_response_time_ms_by_route", 0.001},
		{"auto", "envoy_cluster_upstream_rq_time", 0.001},
		{"auto", "envoy_cluster_external_upstream_rq_time", 0.001},
		{"auto", "envoy_cluster_upstream_cx_connect_ms", 0.001},
		{"auto", "ms_gateway_duration_seconds", 1}, // ms for microservice
		{"auto", "programs", 1},
		{"auto", "upstream_time_ms_seconds", 1}, // the last word says what it is
		{"seconds", "rpc_latency_ms", 1},
		{"milliseconds", "rpc_duration_seconds", 0.001},
		{"seconds", "rpc_microseconds", 1}, // whoever names the unit knows
	} {
		got, err := unitScale(tc.unit, tc.histogram)
		if err != nil || got != tc.want {
			t.Errorf("unit %s of %s: %v, %v; want %v", tc.unit, tc.histogram, got, err, tc.want)
		}
	}
}

func TestHistogramNamesOfAnyScriptAreAccepted(t *testing.T) {
	for _, name := range []string{
		"http_seconds", "http.client.request.duration", "http-client/latency", "dauer_größe", `with "quotes" and \`, "_bucket", "bucket", "job:http_seconds:sum", "a b",
	} {
		if message := checkHistogram(name); message != "" {
			t.Errorf("%s: %s", name, message)
		}
	}
}
