package config

import "github.com/prometheus/prometheus/model/labels"

// meshPresets are proxies and service meshes.
func meshPresets() []preset {
	retried := counter{metric: "envoy_cluster_upstream_rq_retry"}
	ofEnvoy := counter{metric: "envoy_cluster_upstream_rq_total", less: retried.metric}
	return []preset{
		{
			name: "envoy", source: "Envoy", histogram: "envoy_cluster_upstream_rq_time", unit: "milliseconds", scope: "call", timeouts: "dropped",
			labels:   []string{"envoy_cluster_name"},
			attempts: ofEnvoy, calls: ofEnvoy, retries: retried, timedOut: counter{metric: "envoy_cluster_upstream_rq_timeout"},
			connect: "envoy_cluster_upstream_cx_connect_ms", connectUnit: "milliseconds",
			note: "The histogram holds whole requests, retries inside, so it is judged against `policy.deadline`: the route's timeout. Attempts cut off by the per-try timeout are in `envoy_cluster_upstream_rq_per_try_timeout`.",
		},
		{
			name: "istio", source: "Istio", histogram: "istio_request_duration_milliseconds", unit: "milliseconds", scope: "call", timeouts: "auto",
			fixed: []*labels.Matcher{equal("reporter", "source")}, labels: []string{"source_workload", "destination_service"},
			attempts: counter{metric: "istio_requests_total"}, calls: counter{metric: "istio_requests_total"},
			timedOut:       counter{metric: "istio_requests_total", match: []*labels.Matcher{like("response_flags", ".*UT.*")}},
			defaultRetries: 2,
			note:           "Taken at the source's proxy, retries inside. Timeouts are those with the response flag UT. Istio retries errors twice unless the route says otherwise.",
		},
		{
			name: "linkerd-proxy", source: "Linkerd", histogram: "response_latency_ms", unit: "milliseconds", scope: "attempt", timeouts: "dropped",
			fixed: []*labels.Matcher{equal("direction", "outbound")}, labels: []string{"deployment", "dst_service"},
			attempts: counter{metric: "response_total"},
			note:     "Time to the first byte of the response, at the caller's proxy.",
		},
		{
			name: "linkerd-route", source: "Linkerd", histogram: "outbound_http_route_request_duration_seconds", unit: "seconds", scope: "call", timeouts: "recorded",
			labels:   []string{"deployment", "parent_name", "route_name"},
			calls:    counter{metric: "outbound_http_route_request_statuses_total"},
			attempts: counter{metric: "outbound_http_route_request_statuses_total"},
			retries:  counter{metric: "outbound_http_route_retry_requests_total"},
			note:     "Whole requests through an HTTPRoute, in the four buckets .05, .5, 1 and 10: a timeout between them is hard to judge.",
		},
		{
			name: "traefik", source: "Traefik", histogram: "traefik_service_request_duration_seconds", unit: "seconds", scope: "call", timeouts: "auto",
			labels:  []string{"service"},
			calls:   counter{metric: "traefik_service_requests_total"},
			retries: counter{metric: "traefik_service_retries_total"},
			note:    "The default buckets are .1, .3, 1.2 and 5.",
		},
		{
			name: "ingress-nginx", source: "ingress-nginx", histogram: "nginx_ingress_controller_response_duration_seconds", unit: "seconds", scope: "call", timeouts: "auto",
			labels:   []string{"exported_namespace", "ingress"},
			attempts: counter{metric: "nginx_ingress_controller_requests"}, calls: counter{metric: "nginx_ingress_controller_requests"},
			timedOut: counter{metric: "nginx_ingress_controller_requests", match: []*labels.Matcher{equal("status", "504")}},
			connect:  "nginx_ingress_controller_connect_duration_seconds", connectUnit: "seconds",
			note: "Time of the upstream's response. Timeouts are replies with the status 504. The namespace is in `exported_namespace` unless the scrape keeps the target's labels.",
		},
		{
			name: "kong", source: "Kong", histogram: "kong_upstream_latency_ms", unit: "milliseconds", scope: "call", timeouts: "auto",
			labels: []string{"service", "route"},
			note:   "The Prometheus plugin exports it with `latency_metrics` switched on.",
		},
	}
}
