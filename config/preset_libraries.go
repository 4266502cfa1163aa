package config

import "github.com/prometheus/prometheus/model/labels"

// gRPCAttempts is the most attempts a gRPC client makes (gRFC A6).
const gRPCAttempts = 5

// libraryPresets are client libraries.
func libraryPresets() []preset {
	deadline := []*labels.Matcher{equal("grpc_status", "DEADLINE_EXCEEDED")}
	return []preset{
		{
			name: "grpc-otel-attempt", source: "gRPC OpenTelemetry", histogram: "grpc_client_attempt_duration_seconds", unit: "seconds", scope: "attempt", timeouts: "recorded",
			labels:       []string{"job", "grpc_target", "grpc_method"},
			attempts:     counter{metric: "grpc_client_attempt_duration_seconds_count"},
			timedOut:     counter{metric: "grpc_client_attempt_duration_seconds_count", match: deadline},
			calls:        counter{metric: "grpc_client_call_duration_seconds_count"},
			attemptLimit: gRPCAttempts,
			note:         "Attempts that end with the status DEADLINE_EXCEEDED are recorded. A gRPC client makes 5 attempts at most, whatever its service config says.",
		},
		{
			name: "grpc-otel-call", source: "gRPC OpenTelemetry", histogram: "grpc_client_call_duration_seconds", unit: "seconds", scope: "call", timeouts: "recorded",
			labels:       []string{"job", "grpc_target", "grpc_method"},
			attempts:     counter{metric: "grpc_client_call_duration_seconds_count"},
			calls:        counter{metric: "grpc_client_call_duration_seconds_count"},
			timedOut:     counter{metric: "grpc_client_call_duration_seconds_count", match: deadline},
			attemptLimit: gRPCAttempts,
			note:         "Whole calls, retries inside, judged against `policy.deadline`.",
		},
		{
			name: "grpc-go-middleware", source: "go-grpc-middleware", histogram: "grpc_client_handling_seconds", unit: "seconds", scope: "attempt", timeouts: "recorded",
			labels:       []string{"job", "grpc_service", "grpc_method"},
			attempts:     counter{metric: "grpc_client_handled_total"},
			timedOut:     counter{metric: "grpc_client_handled_total", match: []*labels.Matcher{equal("grpc_code", "DeadlineExceeded")}},
			attemptLimit: gRPCAttempts,
			note:         "The histogram has to be switched on. It holds attempts where the interceptor stands inside the one that retries, else set `scope: call`.",
		},
		{
			name: "otel-http-client", source: "OpenTelemetry", histogram: "http_client_request_duration_seconds", unit: "seconds", scope: "attempt", timeouts: "auto",
			labels: []string{"job", "server_address"},
			note:   "Newer SDKs record an attempt that is cut off, with `error_type` set; older ones drop it.",
		},
		{
			name: "promhttp", source: "client_golang's promhttp", unit: "auto", scope: "attempt", timeouts: "dropped",
			labels: []string{"job"},
			note:   "The histogram has the name that the program gave it, so `histogram` is required. A round trip that ends in an error is not observed.",
		},
		{
			name: "spring", source: "Spring", histogram: "http_client_requests_seconds", unit: "seconds", scope: "attempt", timeouts: "auto",
			labels: []string{"job", "client_name"},
			note:   "Buckets are there only with `management.metrics.distribution.percentiles-histogram.http.client.requests`. Failed exchanges have the status IO_ERROR or CLIENT_ERROR.",
		},
		{
			name: "resilience4j", source: "resilience4j", histogram: "resilience4j_circuitbreaker_calls_seconds", unit: "seconds", scope: "call", timeouts: "auto",
			labels:   []string{"job", "name"},
			attempts: counter{metric: "resilience4j_timelimiter_calls_total"}, calls: counter{metric: "resilience4j_timelimiter_calls_total"},
			timedOut: counter{metric: "resilience4j_timelimiter_calls_total", match: []*labels.Matcher{equal("kind", "timeout")}},
			note:     "Timeouts are those of a time limiter of the same name. `resilience4j_retry_calls_total` counts calls and not attempts.",
		},
	}
}
