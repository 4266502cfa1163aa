package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// unitTests is a promtool test file.
type unitTests struct {
	RuleFiles []string   `yaml:"rule_files"`
	Interval  string     `yaml:"evaluation_interval"`
	Tests     []unitTest `yaml:"tests"`
}

type unitTest struct {
	Name   string      `yaml:"name"`
	Step   string      `yaml:"interval"`
	Series []series    `yaml:"input_series"`
	Exprs  []exprTest  `yaml:"promql_expr_test,omitempty"`
	Alerts []alertTest `yaml:"alert_rule_test,omitempty"`
}

type series struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type exprTest struct {
	Expr    string   `yaml:"expr"`
	At      string   `yaml:"eval_time"`
	Samples []sample `yaml:"exp_samples"`
}

type sample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

type alertTest struct {
	At     string      `yaml:"eval_time"`
	Name   string      `yaml:"alertname"`
	Alerts []wantAlert `yaml:"exp_alerts"`
}

type wantAlert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

const (
	runbooks  = "https://example.com/runbooks/"
	heartbeat = "timeout_auditor_last_success_timestamp_seconds"
)

// The alerts of findings differ in nothing but name and wait, so each goes
// through the same seven stories. Minutes: the finding stands or not from 0 to
// 90; the auditor is heard, or is silent from minute 90 on.
func TestEveryFindingAlertFiresHoldsAndClears(t *testing.T) {
	const (
		found        = "1x90 stale"
		heardOn      = "1x400"
		silentFrom90 = "1x90 stale"
	)
	tests := map[string][]unitTest{}
	for _, rule := range rules.Table() {
		labels := fmt.Sprintf(`%s="a", caller="b", callee="c", owner="o", rule=%q, severity=%q`, rule.About(), rule.Code, rule.Severity)
		finding := series{"timeout_auditor_finding{instance=\"one\", " + labels + "}", found}
		replica := series{"timeout_auditor_finding{instance=\"two\", " + labels + "}", found}
		heard := series{heartbeat + `{instance="one"}`, heardOn}
		silent := series{heartbeat + `{instance="one"}`, silentFrom90}
		firing := sample{fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing", %s="a", caller="b", callee="c", owner="o", severity=%q}`,
			rule.Alert(), rule.About(), rule.Severity), 1}
		state := func(minutes int, want ...sample) exprTest {
			return exprTest{fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, rule.Alert()), fmt.Sprintf("%dm", minutes), want}
		}
		wait := int(rule.For / time.Minute)
		story := func(name string, input []series, exprs ...exprTest) {
			tests[rule.Alert()] = append(tests[rule.Alert()], unitTest{Name: rule.Code + ": " + name, Step: "1m", Series: input, Exprs: exprs})
		}
		story("waits, then fires", []series{finding, heard}, state(wait-1), state(wait+1, firing), state(89, firing))
		story("two replicas page once", []series{finding, replica, heard}, state(wait+1, firing))
		story("clears when the auditor says so", []series{finding, heard}, state(92))
		story("stays silent without a finding", []series{heard}, state(89), state(200))
		story("is held through silence, for an hour", []series{finding, silent}, state(92, firing), state(145, firing), state(160))
		story("is held through a restart, until the first answer",
			[]series{{finding.Series, "1x90 stale _x8 1x60"}, {heard.Series, "1x90 0x9 1x60"}},
			state(92, firing), state(98, firing), state(103, firing))
		story("does not fire on silence alone", []series{silent}, state(92), state(145))
		story("does not fire again what had cleared before the silence",
			[]series{{finding.Series, "1x80 stale"}, silent}, state(85), state(92), state(120))
	}
	promtoolTest(t, tests)
}

func TestAlertsAboutTheAuditorItself(t *testing.T) {
	firing := func(name, severity string) sample {
		return sample{fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing", severity=%q}`, name, severity), 1}
	}
	state := func(name string, minutes int, want ...sample) exprTest {
		return exprTest{fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, name), fmt.Sprintf("%dm", minutes), want}
	}
	heard := series{heartbeat, "1x400"}
	silent := series{heartbeat, "1x90 stale"}
	build := series{`timeout_auditor_build_info{version="1"}`, "1x90 stale"}
	const (
		absent  = "TimeoutAuditorAbsent"
		stale   = "TimeoutAuditorStale"
		failing = "TimeoutAuditorQueriesFailing"
		reload  = "TimeoutAuditorConfigReloadFailed"
		lost    = "TimeoutAuditorNotificationsFailing"
	)
	pushed := func(alertmanager, result, values string) series {
		return series{fmt.Sprintf(`timeout_auditor_notifications_total{alertmanager=%q, result=%q}`, alertmanager, result), values}
	}
	answered := func(values string) series { return series{`timeout_auditor_queries_total{result="success"}`, values} }
	refused := func(values string) series {
		return series{`timeout_auditor_queries_total{result="unreachable"}`, values}
	}
	success := func(values string) series {
		return series{"timeout_auditor_last_success_timestamp_seconds", values}
	}
	loaded := func(values string) series { return series{"timeout_auditor_config_last_reload_successful", values} }
	promtoolTest(t, map[string][]unitTest{
		absent: {
			{Name: "absent", Step: "1m", Series: []series{build}, Exprs: []exprTest{
				state(absent, 60), state(absent, 95), state(absent, 102, firing(absent, "critical")),
			}},
		},
		stale: {
			{Name: "stale: success stops at minute 10", Step: "1m", Series: []series{success("0+60x10 600x390")}, Exprs: []exprTest{
				state(stale, 14), state(stale, 22, firing(stale, "warning")),
			}},
			{Name: "stale: each cycle succeeds", Step: "1m", Series: []series{success("0+60x400")}, Exprs: []exprTest{
				state(stale, 30), state(stale, 200),
			}},
			{Name: "stale: never succeeded", Step: "1m", Series: []series{success("0x400")}, Exprs: []exprTest{
				state(stale, 20, firing(stale, "warning")),
			}},
			{Name: "stale: held through silence", Step: "1m", Series: []series{success("60x90 stale")}, Exprs: []exprTest{
				state(stale, 120, firing(stale, "warning")), state(stale, 160),
			}},
			{Name: "stale: silence alone", Step: "1m", Series: []series{success("0+60x90 stale")}, Exprs: []exprTest{
				state(stale, 92), state(stale, 120),
			}},
		},
		failing: {
			{Name: "failing: one in ten", Step: "1m", Series: []series{heard, answered("0+90x400"), refused("0+10x400")}, Exprs: []exprTest{
				state(failing, 10), state(failing, 40, firing(failing, "warning")),
			}},
			{Name: "failing: one in a hundred", Step: "1m", Series: []series{heard, answered("0+99x400"), refused("0+1x400")}, Exprs: []exprTest{
				state(failing, 40), state(failing, 200),
			}},
			{Name: "failing: held through silence", Step: "1m",
				Series: []series{silent, answered("0x90 stale"), refused("0+10x90 stale")}, Exprs: []exprTest{
					state(failing, 130, firing(failing, "warning")), state(failing, 160),
				}},
			{Name: "failing: silence alone", Step: "1m",
				Series: []series{silent, answered("0+10x90 stale"), refused("0x90 stale")}, Exprs: []exprTest{
					state(failing, 92), state(failing, 130),
				}},
		},
		reload: {
			{Name: "reload failed", Step: "1m", Series: []series{heard, loaded("1x10 0x390")}, Exprs: []exprTest{
				state(reload, 9), state(reload, 18, firing(reload, "warning")),
			}},
			{Name: "reload: mended", Step: "1m", Series: []series{heard, loaded("0x30 1x370")}, Exprs: []exprTest{
				state(reload, 20, firing(reload, "warning")), state(reload, 33),
			}},
			{Name: "reload: held through silence", Step: "1m", Series: []series{silent, loaded("0x90 stale")}, Exprs: []exprTest{
				state(reload, 120, firing(reload, "warning")), state(reload, 160),
			}},
			{Name: "reload: silence alone", Step: "1m", Series: []series{silent, loaded("1x90 stale")}, Exprs: []exprTest{
				state(reload, 92), state(reload, 120),
			}},
		},
		lost: {
			{Name: "lost: one Alertmanager of two is down", Step: "1m", Series: []series{
				heard, pushed("one", "success", "0+9x400"), pushed("one", "failed", "0x400"), pushed("two", "success", "0x400"), pushed("two", "failed", "0+9x400"),
			}, Exprs: []exprTest{state(lost, 10), state(lost, 40, firing(lost, "warning"))}},
			{Name: "lost: the queue is full", Step: "1m", Series: []series{
				heard, pushed("one", "success", "0+9x400"), pushed("one", "dropped", "0+1x400"),
			}, Exprs: []exprTest{state(lost, 40, firing(lost, "warning"))}},
			{Name: "lost: one alert of a thousand is rejected", Step: "1m", Series: []series{
				heard, pushed("one", "success", "0+999x400"), pushed("one", "rejected", "0+1x400"),
			}, Exprs: []exprTest{state(lost, 40, firing(lost, "warning"))}},
			{Name: "lost: one in a hundred fails, and is sent again", Step: "1m", Series: []series{
				heard, pushed("one", "success", "0+99x400"), pushed("one", "failed", "0+1x400"), pushed("one", "rejected", "0x400"),
			}, Exprs: []exprTest{state(lost, 40), state(lost, 200)}},
			{Name: "lost: nothing is pushed", Step: "1m", Series: []series{heard}, Exprs: []exprTest{state(lost, 40), state(lost, 200)}},
			{Name: "lost: held through silence", Step: "1m", Series: []series{silent, pushed("one", "failed", "0+9x90 stale")}, Exprs: []exprTest{
				state(lost, 120, firing(lost, "warning")), state(lost, 160),
			}},
		},
	})
}

// The page's own words, with the numbers looked up when the alert is sent.
func TestAlertsCarryTheNumbers(t *testing.T) {
	figures := []series{
		{`timeout_auditor_predicted_false_timeout_ratio{dependency="a"}`, "0.211x200"},
		{`timeout_auditor_false_timeout_ratio_lower{dependency="a"}`, "0.18x200"},
		{`timeout_auditor_false_timeout_ratio_upper{dependency="a"}`, "0.243x200"},
		{`timeout_auditor_policy_timeout_seconds{dependency="a"}`, "0.3x200"},
		{`timeout_auditor_latency_p99_seconds{dependency="a"}`, "1.4x200"},
		{`timeout_auditor_recommended_timeout_step_seconds{dependency="a"}`, "0.6x200"},
		{`timeout_auditor_predicted_fallback_ratio{dependency="a", cause="timeout"}`, "0.12x200"},
		{`timeout_auditor_predicted_fallback_ratio{dependency="a", cause="error"}`, "0.002x200"},
		{`timeout_auditor_predicted_fallback_ratio{dependency="a", cause="mixed"}`, "0.0001x200"},
		{`timeout_auditor_predicted_amplification_ratio{dependency="a"}`, "1.3456x200"},
		{`timeout_auditor_worst_case_amplification_ratio{dependency="a"}`, "3x200"},
		{`timeout_auditor_timeout_p99_ratio{dependency="a"}`, "0.214x200"},
		{`timeout_auditor_observed_false_timeout_ratio{dependency="a"}`, "0.3635x200"},
		{`timeout_auditor_unknown_outcomes_per_second{dependency="a"}`, "2.11x200"},
		{`timeout_auditor_chain_needed_seconds{chain="a"}`, "4.855x200"},
		{`timeout_auditor_chain_budget_seconds{chain="a"}`, "2x200"},
		{`timeout_auditor_chain_worst_case_amplification_ratio{chain="a"}`, "9x200"},
		{`timeout_auditor_lognormal_false_timeout_ratio{dependency="a"}`, "0.002x200"},
	}
	const cut = "21.1% (18% to 24.3%) of attempts"
	descriptions := map[string]string{
		"timeout-below-p99":         "The timeout of a is 300ms, its p99 reads 1.4s: " + cut + " are cut off although their reply would come. Next timeout to set: 600ms.",
		"false-timeout-ratio-high":  cut + " to a are cut off at 300ms although their reply would come, more than its target. p99 reads 1.4s. Next timeout to set: 600ms.",
		"fallback-ratio-high":       "Every attempt fails for 12% of calls to a by timeouts, 0.2% by errors, 0.01% by both. " + cut + " are cut off at 300ms.",
		"amplification-high":        "Retries send 1.35 attempts per call to a, 3 at worst. " + cut + " are cut off at 300ms.",
		"timeout-far-above-p99":     "The timeout of a is 300ms, 0.214 times its p99 of 1.4s: when the dependency hangs, every call holds its thread or connection that long.",
		"slow-replica":              "A replica of a is slow while the fleet is not. The auditor's report names it.",
		"measured-differs":          "What counters measure for a is not what its histogram predicts: timeouts measured 36.35%, histogram through p50 and p99 0.2%. Believe the counters: calls that vanish leave no latency sample.",
		"tail-understated":          "The lognormal of a understates its tail: do not rely on a figure from two percentiles.",
		"bucket-missing-at-timeout": "No verdict is possible on the timeout of a (300ms): add a bucket bound at exactly that value to its histogram.",
		"chain-over-budget":         "The calls of a need 4.855s and have 2s.",
		"chain-amplification-high":  "One call of a becomes up to 9 attempts at its innermost callee.",
		"deadline-inversion":        "A callee in a goes on working after its caller has given up. The auditor's report names it.",
		"retry-not-idempotent":      "An attempt to a that timed out may have been applied, and is sent again. 2.11 attempts a second end that way.",
		"connect-timeout-below-p99": "More than 1% of connections to a would have been made, and are given up at the connect timeout.",
		"connect-timeout-missing":   "Connecting to a has no timeout of its own. It takes about one round trip, so a host that is gone could be noticed at once.",
		"no-timeout":                "Calls to a have no timeout and no deadline: one slow reply holds its thread or connection for good.",
		"per-attempt-timeout-dead":  "The per-attempt timeout of a is as long as its deadline or longer: the first slow attempt uses up the whole call and no retry follows.",
		"retries-exceed-deadline":   "The deadline of a cuts declared retries short or never starts them.",
		"verdict-unknown":           "Nothing has been known about a for longer than hold_for: its timeout may be fine or not. Ask `timeout-auditor check-config --online FILE` why.",
		"fallback-uncounted":        "When all attempts to a fail, its caller returns something that looks like success, and no counter says how often.",
		"dependency-limit-reached":  "The entry a finds more dependencies than its max_dependencies. Nothing is audited and nothing is known of those left out.",
		"no-deadline":               "Each attempt to a is bounded, the call with all its retries and backoff is not.",
	}
	tests := map[string][]unitTest{}
	for _, rule := range rules.Table() {
		labels := map[string]string{rule.About(): "a", "caller": "b", "callee": "c", "owner": "o", "severity": string(rule.Severity)}
		tests[rule.Alert()] = append(tests[rule.Alert()], unitTest{Name: rule.Code, Step: "1m",
			Series: append([]series{
				{fmt.Sprintf(`timeout_auditor_finding{%s="a", caller="b", callee="c", owner="o", rule=%q, severity=%q}`, rule.About(), rule.Code, rule.Severity), "1x200"},
				{heartbeat, "1x200"},
			}, figures...),
			Alerts: []alertTest{{At: "120m", Name: rule.Alert(), Alerts: []wantAlert{{Labels: labels, Annotations: map[string]string{
				"summary":     "a: " + rule.Title,
				"description": descriptions[rule.Code],
				"runbook_url": runbooks + rule.Code + ".md",
			}}}}},
		})
	}
	promtoolTest(t, tests)
}

// promtoolTest runs the tests of each alert against a rule file with that
// alert alone, which is far quicker than evaluating all of them in each.
func promtoolTest(t *testing.T, byAlert map[string][]unitTest) {
	t.Helper()
	dir := t.TempDir()
	var generated strings.Builder
	if err := rules.Generate(&generated, nil, rules.AlertOptions{Runbooks: runbooks, StaleAfter: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "rules.yaml")
	write(t, whole, []byte(generated.String()))
	if out, err := servers.Promtool(t.Context(), "check", "rules", "--lint=all", "--lint-fatal", whole); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"test", "rules"}
	for alert, tests := range byAlert {
		write(t, filepath.Join(dir, alert+".yaml"), only(t, alert, generated.String()))
		file, err := yaml.Marshal(unitTests{RuleFiles: []string{alert + ".yaml"}, Interval: "1m", Tests: tests})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, filepath.Join(dir, alert+".test.yaml"))
		write(t, args[len(args)-1], file)
	}
	if out, err := servers.Promtool(t.Context(), args...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// only returns the rule file with one alert of those in generated.
func only(t *testing.T, alert, generated string) []byte {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string           `yaml:"name"`
			Rules []map[string]any `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal([]byte(generated), &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule["alert"] == alert {
				group.Rules = []map[string]any{rule}
				out, err := yaml.Marshal(map[string]any{"groups": []any{group}})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
		}
	}
	t.Fatalf("no alert is named %s", alert)
	return nil
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
