package recording

import (
	"fmt"
	"time"

	"github.com/prometheus/common/model"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// pageSamples is how many calls an alert needs. With fewer, p99 rests on a
// handful of them.
const pageSamples = 1000

// aboveFirstBucket is the timeout ÷ p99 from which a timeout surely lies above
// the first bucket, when p99 lies in it: p99 is at least 0.99 of its end, and
// whatever is in there, more than 99% end in time.
const aboveFirstBucket = 1.02

// alerts are the two that the recorded series can carry: a timeout below p99,
// and a dependency of which nothing is known. They have the names, severities
// and waiting times of the auditor's own rules, so one loads these or those.
func alerts(overrides map[string]config.Rule, o Options) []rulefile.Rule {
	var all []rulefile.Rule
	for _, rule := range rules.Effective(overrides) {
		switch rule.Code {
		case "timeout-below-p99":
			all = append(all, alert(rule, o, rulefile.Rule{
				Expr: fmt.Sprintf("%s < 1\nand %s >= %d\nunless ignoring (reason) %s{reason=%q}",
					TimeoutP99Ratio, Samples, pageSamples, Unknown, ReasonFirstBucket),
				For: model.Duration(rule.For),
				Annotations: map[string]string{"description": `The timeout is {{ $value | printf "%.2f" }} times p99. ` +
					"Judged by recording rules: p99 as histogram_quantile interpolates it, without the auditor's test on counts and without held verdicts."},
			}))
		case rules.VerdictUnknown:
			all = append(all, alert(rule, o, rulefile.Rule{
				Expr: fmt.Sprintf("%[1]s{reason!=%[2]q} == 1\nunless ignoring (reason) (%[1]s{reason=%[3]q} and ignoring (reason) %[4]s >= %[5]g)",
					Unknown, ReasonHedged, ReasonFirstBucket, TimeoutP99Ratio, aboveFirstBucket),
				For: model.Duration(max(rule.For, o.HoldFor)),
				Annotations: map[string]string{"description": "The recording rules cannot say whether the timeout is fine: {{ $labels.reason }}. " +
					"docs/recording-rules.md says what each reason means and what to do."},
			}))
		}
	}
	return all
}

func alert(rule rules.Rule, o Options, r rulefile.Rule) rulefile.Rule {
	r.Alert = rule.Alert()
	r.Labels = map[string]string{"severity": string(rule.Severity)}
	r.Annotations["summary"] = "{{ $labels.dependency }}: " + rule.Title
	r.Annotations["runbook_url"] = o.Runbooks + rule.Code + ".md"
	return r
}

// Options say how the rules are written.
type Options struct {
	Format   rulefile.Format
	Runbooks string        // URL prefix of the runbook pages, ending in a slash
	HoldFor  time.Duration // how long nothing may be known before an alert says so
}
