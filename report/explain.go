package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// ErrUnknownDependency says that a report has no dependency of a given name.
var ErrUnknownDependency = errors.New("the report has no such dependency")

// Explain writes how the named dependency was judged, every step from the
// queries to the verdict: each formula, the inputs filled in, the result, with
// digits enough to work it out again by hand. Sections are numbered the same
// whatever is known; one that cannot be worked out says why. Lines have at most
// 100 columns, but for what cannot be broken. The error is
// ErrUnknownDependency, or the writer's.
func (r *Report) Explain(w io.Writer, name string) error {
	i := slices.IndexFunc(r.Dependencies, func(d Dependency) bool { return d.Dependency.Name == name })
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrUnknownDependency, name)
	}
	e := explanation{Dependency: r.Dependencies[i]}
	e.title()
	e.queries()
	e.answer()
	e.throughQuantiles()
	e.policy()
	e.tail()
	e.verdict()
	e.retries()
	e.recommendation()
	e.findings()
	_, err := io.WriteString(w, e.out.String())
	return err
}

// explanation is one dependency and the text on it so far.
type explanation struct {
	Dependency
	derivation
}

func (e *explanation) title() {
	dep := e.Assessment.Dependency
	e.line(0, "How %s was judged, as of %s", printable(dep.Name), moment(e.At))
	if dep.Caller != "" || dep.Callee != "" || dep.Owner != "" {
		e.line(0, "caller %s, callee %s, owner %s", orMissing(dep.Caller), orMissing(dep.Callee), orMissing(dep.Owner))
	}
	e.line(0, "Status: %s", statusText(e.Assessment))
	if e.Detail != "" {
		e.line(0, "%s", printable(e.Detail))
	}
	e.line(0, "§ is a section of docs/model.md. Ratios are 0 to 1, ln is the natural logarithm, T is the timeout in seconds.")
}

// queries is section 1.
func (e *explanation) queries() {
	e.heading("What was asked")
	if len(e.Queries) == 0 {
		e.say("No query was sent.")
	}
	for _, q := range e.Queries {
		e.say("%s, %s", printable(q.Purpose), askedAt(q, e.At))
		e.expression(printable(q.Text()))
	}
	for _, note := range e.Observation.Notes {
		e.say("note: %s", printable(note))
	}
}

// askedAt says for which time a query was sent, the way promtool takes it.
func askedAt(q latency.Query, at time.Time) string {
	if q.Step > 0 {
		return fmt.Sprintf("range from %s to %s, step %gs", moment(q.Start), moment(q.End), q.Step.Seconds())
	}
	if !q.End.IsZero() {
		at = q.End
	}
	return "instant at " + moment(at)
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func orMissing(s string) string {
	if s == "" {
		return missing
	}
	return printable(s)
}

// unanswered says why a section has nothing to work with.
func (e *explanation) unanswered() { e.say("Nothing was observed (2).") }
