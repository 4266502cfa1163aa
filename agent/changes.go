package agent

import (
	"log/slog"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// changes remembers what was logged, so that a state is told once and not each
// cycle.
type changes struct {
	failing  map[string]bool          // dependencies whose queries fail
	standing map[string]rules.Finding // findings by dependency and rule
}

// namesInLog bounds how many dependencies one log line names.
const namesInLog = 5

func (c *changes) log(logger *slog.Logger, r *report.Report) {
	c.logQueries(logger, r)
	c.logFindings(logger, r)
}

func (c *changes) logQueries(logger *slog.Logger, r *report.Report) {
	failing := map[string]bool{}
	var failed, answered []string
	var reason string
	for _, d := range r.Dependencies {
		name := d.Dependency.Name
		if d.Status == latency.StatusQueryFailed {
			failing[name] = true
			if !c.failing[name] {
				failed, reason = append(failed, name), d.Detail
			}
		} else if c.failing[name] {
			answered = append(answered, name)
		}
	}
	if len(failed) > 0 {
		logger.Error("Queries fail, last good state is held", "dependencies", len(failed), "names", some(failed), "err", reason)
	}
	if len(answered) > 0 {
		logger.Info("Queries are answered again", "dependencies", len(answered), "names", some(answered))
	}
	c.failing = failing
}

func (c *changes) logFindings(logger *slog.Logger, r *report.Report) {
	standing := map[string]rules.Finding{}
	for _, f := range r.Findings {
		key := f.Dependency + "\x00" + f.Rule
		standing[key] = f
		if _, known := c.standing[key]; !known {
			logger.Warn("Finding", "rule", f.Rule, "severity", f.Severity, "dependency", f.Dependency, "message", f.Message, "advice", f.Advice)
		}
	}
	for key, f := range c.standing {
		if _, stands := standing[key]; !stands {
			logger.Info("Finding cleared", "rule", f.Rule, "severity", f.Severity, "dependency", f.Dependency)
		}
	}
	c.standing = standing
}

func some(names []string) string {
	if len(names) > namesInLog {
		return strings.Join(names[:namesInLog], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
