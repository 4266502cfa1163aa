module github.com/timeout-auditor/timeout-auditor/tools/dashboard

go 1.26.8

require (
	github.com/grafana/grafana-foundation-sdk/go v0.0.22
	github.com/timeout-auditor/timeout-auditor v0.0.0
)

replace github.com/timeout-auditor/timeout-auditor => ../..
