package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// WriteMarkdown writes the report for a pull request or a ticket: the tables of
// WriteText, and the findings as lists. Text from outside is escaped.
func (r *Report) WriteMarkdown(w io.Writer) error {
	rows := r.Rows()
	m := markdown{}
	m.line("## Timeout audit of %s", clock(r.At))
	m.table("Dependency", "Timeout", "p50", "p99", "T/p99", "False timeouts", "Fallback", "Attempts/call", "Status", "Worst finding")
	for _, row := range rows {
		m.row(row.Dependency, row.Timeout, row.P50, row.P99, row.TimeoutP99, row.FalseTimeouts, row.Fallback, row.Attempts,
			row.Status, worstFinding(row.Findings))
	}
	for _, row := range rows {
		if row.Detail == "" && len(row.Findings) == 0 {
			continue
		}
		m.line("### %s", escape(row.Dependency))
		if row.Detail != "" {
			m.item("%s: %s", escape(row.Status), escape(row.Detail))
		}
		m.findings(row.Findings)
		for _, note := range row.Notes {
			m.item("note: %s", escape(note))
		}
	}
	for _, c := range r.Chains {
		m.chain(c)
	}
	return m.write(w)
}

func (m *markdown) chain(c Chain) {
	m.line("### Chain %s", escape(c.Chain.Name))
	needed := figure.Seconds(c.Needed)
	if len(c.Unknown) > 0 {
		needed = fmt.Sprintf("at least %s (unknown: %s)", needed, escape(strings.Join(c.Unknown, ", ")))
	}
	m.line("Deadline %s, needed %s, share per attempt %s, worst case %s.",
		figure.Seconds(c.Chain.Deadline.Seconds()), needed, attemptShare(c.Share), figure.Multiple(c.WorstCase))
	m.table("Hop", "p99", "Left before", "Attempts expected", "At worst")
	for _, h := range c.Hops {
		name := strings.Repeat("→ ", h.Depth) + h.Dependency
		if h.Parallel {
			name += " (parallel)"
		}
		m.row(name, known(h.P99, figure.Seconds), known(h.Remaining, figure.Seconds), known(h.Amplification, figure.Multiple), figure.Multiple(h.WorstCase))
	}
	m.findings(c.Findings)
}

// WriteMarkdown writes the backtests for a pull request or a ticket.
func (b *Backtests) WriteMarkdown(w io.Writer) error {
	m := markdown{}
	ordered := b.byUrgency()
	m.line("## Backtest from %s to %s in windows of %s", clock(b.Since), clock(b.Until), period(b.Step))
	m.table("Dependency", "Timeout", "Would cut", "Windows judged", "Above 1%", "Undecided", "Unknown", "p99", "Worst window surely")
	for _, d := range ordered {
		m.row(d.cells(func(name string) string { return name })...)
	}
	for _, d := range ordered {
		m.line("### %s", escape(d.Dependency.Name))
		m.findings(d.Findings)
		for _, line := range []string{d.Recommended(), d.Unknown()} {
			if line != "" {
				m.item("%s", escape(line))
			}
		}
		if rows := d.Rows(); len(rows) > 0 {
			m.table("Timeout", "Would cut", "Windows above 1%", "Below", "Undecided", "Unknown")
			for _, row := range rows {
				m.row(row.Timeout, row.Cut, row.Above, row.Below, row.Undecided, row.Unknown)
			}
		}
	}
	return m.write(w)
}

// markdown is a document that grows. Blocks are told apart by empty lines.
type markdown struct {
	text strings.Builder
	last string // kind of the last block
}

func (m *markdown) begin(kind string) {
	if m.last != "" && (kind != m.last || kind == "line") {
		m.text.WriteByte('\n')
	}
	m.last = kind
}

func (m *markdown) line(format string, args ...any) {
	m.begin("line")
	fmt.Fprintf(&m.text, format+"\n", args...)
}

func (m *markdown) item(format string, args ...any) {
	m.begin("list")
	fmt.Fprintf(&m.text, "- "+format+"\n", args...)
}

func (m *markdown) table(columns ...string) {
	m.begin("table")
	fmt.Fprintf(&m.text, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

func (m *markdown) row(cells ...string) {
	for i := range cells {
		cells[i] = escape(cells[i])
	}
	fmt.Fprintf(&m.text, "| %s |\n", strings.Join(cells, " | "))
}

func (m *markdown) findings(findings []rules.Finding) {
	for _, f := range findings {
		m.item("**%s** %s: %s%s", f.Severity, f.Rule, escape(f.Message), heldText(f))
		if f.Advice != "" {
			fmt.Fprintf(&m.text, "  - do: %s\n", escape(f.Advice))
		}
	}
}

func (m *markdown) write(w io.Writer) error {
	_, err := io.WriteString(w, m.text.String())
	return err
}

// escape keeps text from outside from being anything but text in Markdown, raw
// HTML and a mention of people included.
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "@\u2060",
	).Replace(printable(s))
}
