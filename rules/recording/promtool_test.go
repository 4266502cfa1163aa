package recording_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules/recording"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// stories are promtool's unit tests of the rules of three dependencies: one by
// a native histogram, one by a classic one, one that has few calls.
const stories = `
rule_files: [recording.yaml]
evaluation_interval: 1m
tests:
  - name: a native histogram gives the same as asking it
    interval: 1m
    input_series:
      - series: native_seconds
        values: '{{schema:0 count:0 sum:0 buckets:[0 0 0]}}+{{schema:0 count:100 sum:200 buckets:[20 60 20]}}x200'
    promql_expr_test:
      - expr: abs(dependency:timeout_auditor_latency_p50_seconds:window - on () group_left () histogram_quantile(0.5, native_seconds)) < bool 1e-9
        eval_time: 150m
        exp_samples: [{labels: '{dependency="native_seconds", caller="checkout", owner="team-pay"}', value: 1}]
      - expr: floor(dependency:timeout_auditor_samples:window)
        eval_time: 150m
        exp_samples: [{labels: '{dependency="native_seconds", caller="checkout", owner="team-pay"}', value: 6000}]
      - expr: count(dependency:timeout_auditor_lognormal_false_timeout_ratio:window > 0)
        eval_time: 150m
        exp_samples: [{labels: '{}', value: 1}]
  - name: the alert waits, fires, and ends when p99 is below the timeout again
    interval: 1m
    input_series:
      - {series: 'classic_seconds_bucket{le="1"}', values: '0+50x120 6000+100x200'}
      - {series: 'classic_seconds_bucket{le="4"}', values: '0+100x120 12000+100x200'}
      - {series: 'classic_seconds_bucket{le="+Inf"}', values: '0+100x120 12000+100x200'}
    alert_rule_test:
      - {eval_time: 11m, alertname: TimeoutBelowP99, exp_alerts: []}
      - eval_time: 30m
        alertname: TimeoutBelowP99
        exp_alerts:
          - exp_labels: {severity: critical, dependency: classic_seconds, caller: checkout, owner: team-pay}
            exp_annotations:
              summary: "classic_seconds: The timeout lies below the dependency's p99: more than 1% of healthy calls are cut off."
              description: "The timeout is 0.51 times p99. Judged by recording rules: p99 as histogram_quantile interpolates it, without the auditor's test on counts and without held verdicts."
              runbook_url: https://example.com/timeout-below-p99.md
      - {eval_time: 300m, alertname: TimeoutBelowP99, exp_alerts: []}
  - name: few calls do not page, and are said to be few
    interval: 1m
    input_series:
      - {series: 'few_seconds_bucket{le="1"}', values: '0+1x300'}
      - {series: 'few_seconds_bucket{le="4"}', values: '0+2x300'}
      - {series: 'few_seconds_bucket{le="+Inf"}', values: '0+2x300'}
      - {series: 'native_seconds', values: '{{schema:0 count:0 sum:0 buckets:[0 0 0]}}+{{schema:0 count:100 sum:200 buckets:[20 60 20]}}x300'}
      - {series: 'classic_seconds_bucket{le="1"}', values: '0+99.9x300'}
      - {series: 'classic_seconds_bucket{le="4"}', values: '0+100x300'}
      - {series: 'classic_seconds_bucket{le="+Inf"}', values: '0+100x300'}
    alert_rule_test:
      - {eval_time: 200m, alertname: TimeoutBelowP99, exp_alerts: []}
      - eval_time: 200m
        alertname: VerdictUnknown
        exp_alerts:
          - exp_labels: {severity: warning, dependency: few_seconds, caller: checkout, owner: team-pay, reason: thin-data}
            exp_annotations:
              summary: "few_seconds: The dependency could not be judged for longer than hold_for."
              description: "The recording rules cannot say whether the timeout is fine: thin-data. docs/recording-rules.md says what each reason means and what to do."
              runbook_url: https://example.com/verdict-unknown.md
`

func TestRulesTellTheirStories(t *testing.T) {
	native := measured("native_seconds", "auto", 1)
	native.Policy.Timeout *= 10
	cfg := &config.Config{Dependencies: []config.Dependency{native, measured("classic_seconds", "auto", 1), measured("few_seconds", "auto", 1)}}
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "recording.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := recording.Generate(out, cfg, recording.Options{Runbooks: "https://example.com/", HoldFor: 3600e9}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(dir, "stories.yaml")
	if err := os.WriteFile(tests, []byte(stories), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := servers.Promtool(t.Context(), "test", "rules", tests); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
