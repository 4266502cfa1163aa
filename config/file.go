package config

import (
	"slices"
	"strings"
	"time"

	promconfig "github.com/prometheus/common/config"
	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

// fileDraft is a file while it is read. Dependencies wait for the defaults and
// chains for the dependencies, which may stand below them.
type fileDraft struct {
	Config
	defaults, dependencies, chains *value
}

const month = 30 * 24 * time.Hour

func fileFields() []field[fileDraft] {
	return []field[fileDraft]{
		section[fileDraft, Prometheus]{
			name: "prometheus", absent: "required", example: "{url: 'http://prometheus:9090'}",
			means:  "Where the data comes from, and how politely to ask for it.",
			fields: prometheusFields(),
			of:     func(f *fileDraft) *Prometheus { return &f.Prometheus },
			after:  func(v value, p *Prometheus) { validateHTTPClient(v, &p.HTTPClient) },
		}.field(),
		{name: "schedule", kind: "schedule", initial: `"@every 1m"`, example: `"CRON_TZ=Europe/Berlin */5 * * * *"`,
			means: "When cycles start: five cron fields, a descriptor such as @hourly, or @every. UTC unless CRON_TZ= names a zone.",
			read:  readSchedule},
		{name: "stale_after", kind: "duration", example: "10m",
			absent: "the larger of 5m and 3 × the schedule's longest gap",
			means:  "Age at which results are withheld. At least the schedule's longest gap between two cycles.",
			read:   duration(span{above: true}, func(f *fileDraft) *time.Duration { return &f.StaleAfter })},
		{name: "hold_for", kind: "duration", initial: "1h", example: "30m",
			means: "How long a finding outlives the data it rests on. 0 to 30d.",
			read:  duration(span{max: month}, func(f *fileDraft) *time.Duration { return &f.HoldFor })},
		{name: "history", kind: "duration", initial: "7d", example: "14d",
			means: "How much of the past a recommendation rests on, hour by hour. Asked for between cycles, a little at a time. 0 to 30d; below 1h, none of it.",
			read:  duration(span{max: month}, func(f *fileDraft) *time.Duration { return &f.History })},
		{name: "external_labels", kind: "mapping", absent: "none", example: "{cluster: eu-1}",
			means: "Labels added to pushed alerts. Names are label names; those that begin with __ are reserved.",
			read:  readExternalLabels},
		{name: "alertmanagers", kind: "list", absent: "none", example: "[{url: 'http://alertmanager:9093'}]",
			means: "Alertmanagers to push findings to, each of them. For those who cannot load alerting rules.",
			read:  readAlertmanagers,
			keys:  func() []keyInfo { return inList(describe(alertmanagerFields())) }},
		section[fileDraft, bool]{
			name: "metrics", absent: "the defaults inside", example: "{detail: true}",
			means: "What is exported.",
			fields: []field[bool]{{name: "detail", kind: "boolean", initial: "false", example: "true",
				means: "Adds p90, p99.9 and figures of the fit for each dependency.",
				read:  boolean(func(detail *bool) *bool { return detail })}},
			of: func(f *fileDraft) *bool { return &f.Detail },
		}.field(),
		{name: "defaults", kind: "mapping", absent: "none", example: "{window: 6h, policy: {retries: 1}}",
			means: "Any key of a dependency but `name`, for the dependencies that do not set it themselves. Merged key by key at every depth.",
			read:  func(v value, f *fileDraft) { f.defaults = &v }},
		{name: "dependencies", kind: "list", absent: "required", example: "[{name: checkout-payments, latency: {histogram: http_client_request_duration_seconds}}]",
			means: "The kinds of call to audit, at least one.",
			read:  func(v value, f *fileDraft) { f.dependencies = &v },
			keys:  func() []keyInfo { return inList(describe(dependencyFields())) }},
		{name: "chains", kind: "list", absent: "none", example: "[{name: product-page, deadline: 2s, hops: [checkout-payments]}]",
			means: "Calls that share one deadline, each chain judged as a whole.",
			read:  func(v value, f *fileDraft) { f.chains = &v },
			keys:  func() []keyInfo { return inList(describe(chainFields())) }},
		{name: "rules", kind: "mapping", absent: "every rule as it is", example: "{timeout-below-p99: {severity: critical, for: 5m}}",
			means: "Changes to rules, by the code of the rule.",
			read:  readRules,
			keys: func() []keyInfo {
				keys := describe(ruleFields())
				for i := range keys {
					keys[i].path = "CODE." + keys[i].path
				}
				return keys
			}},
	}
}

// documentKeys lists every key a file may hold.
func documentKeys() []keyInfo { return describe(fileFields()) }

func prometheusFields() []field[Prometheus] {
	return append([]field[Prometheus]{
		{name: "url", kind: "URL", absent: "required", example: "http://prometheus:9090",
			means: "Prometheus, Thanos, Mimir or VictoriaMetrics. http or https, without credentials, query or fragment.",
			read:  address(func(p *Prometheus) *string { return &p.URL })},
		{name: "external_url", kind: "URL", absent: "`url`", example: "https://prometheus.example.com",
			means: "The same server as people reach it, for links.",
			read:  address(func(p *Prometheus) *string { return &p.ExternalURL })},
		{name: "query_timeout", kind: "duration", initial: "30s", example: "10s",
			means: "Deadline of each query. Above 0, at most 1h.",
			read:  duration(span{above: true, max: time.Hour}, func(p *Prometheus) *time.Duration { return &p.QueryTimeout })},
		{name: "max_concurrent_queries", kind: "whole number", initial: "4", example: "8",
			means: "Queries in flight at once. 1 to 1000.",
			read:  whole(limits{min: 1, max: 1000}, func(p *Prometheus) *int { return &p.MaxConcurrentQueries })},
	}, httpClientFields(func(p *Prometheus) *promconfig.HTTPClientConfig { return &p.HTTPClient })...)
}

func readSchedule(v value, f *fileDraft) {
	text, ok := v.scalar("a schedule such as @every 1m")
	if !ok {
		return
	}
	schedule, err := parseSchedule(text)
	if err != nil {
		v.refuse("%s", err)
		return
	}
	f.Schedule = schedule
}

func readExternalLabels(v value, f *fileDraft) {
	pairs, _ := v.pairs()
	for _, p := range pairs {
		switch text, ok := p.value.name(); {
		case !ok:
		case !model.UTF8Validation.IsValidLabelName(p.key) || len(p.key) > maxName:
			p.value.refuse("must have a label name")
		case strings.HasPrefix(p.key, model.ReservedLabelPrefix):
			p.value.refuse("must have a label name that does not begin with __")
		default:
			if f.ExternalLabels == nil {
				f.ExternalLabels = map[string]string{}
			}
			f.ExternalLabels[p.key] = text
		}
	}
}

func ruleFields() []field[Rule] {
	return []field[Rule]{
		{name: "severity", kind: "critical, warning, info or off", absent: "the rule's own", example: "warning",
			means: "How bad the finding is. `off` silences it.",
			read:  oneOf([]string{"critical", "warning", "info", "off"}, func(r *Rule) *string { return &r.Severity })},
		{name: "threshold", kind: "number", absent: "the rule's own", example: "0.005",
			means: "What the rule compares with. At least 0, in the unit of the rule.",
			read: func(v value, r *Rule) {
				if x, ok := v.number(limits{}); ok {
					r.Threshold = &x
				}
			}},
		{name: "for", kind: "duration", absent: "the rule's own", example: "5m",
			means: "How long the finding has to hold before it is alerted. 0 to 30d.",
			read: func(v value, r *Rule) {
				if d, ok := v.duration(span{max: month}); ok {
					r.For = &d
				}
			}},
	}
}

func readRules(v value, f *fileDraft) {
	pairs, _ := v.pairs()
	fields := ruleFields()
	for _, p := range pairs {
		var rule Rule
		ok := readMapping(p.value, fields, &rule)
		switch {
		case !slices.Contains(v.rules, p.key):
			p.value.refuse("unknown rule %s; %s", show(p.key), suggestRule(p.key, v.rules))
		case ok:
			if f.Rules == nil {
				f.Rules = map[string]Rule{}
			}
			f.Rules[p.key] = rule
		}
	}
}

func suggestRule(code string, known []string) string {
	if near := nearest.Name(code, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known are " + enumerate(known, "and")
}

// newFileDraft is a file that sets nothing.
func newFileDraft(fields []field[fileDraft]) fileDraft {
	f := fileDraft{Config: Config{Prometheus: Prometheus{HTTPClient: promconfig.DefaultHTTPClientConfig}}}
	fillInitial(fields, &f)
	return f
}
