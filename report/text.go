package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// WriteText writes the report as a table, worst dependency first. Below it
// stands every finding, everything that is declared and does not take effect, and
// everything that is not known, with the notes that belong to it; notes on dependencies that are fine are in the JSON only.
func (r *Report) WriteText(w io.Writer) error {
	rows := r.Rows()
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEPENDENCY\tTIMEOUT\tP50\tP99\tT/P99\tFALSE TIMEOUTS\tFALLBACK\tATTEMPTS/CALL\tSTATUS\tWORST FINDING")
	for _, row := range rows {
		cells := []string{
			printable(row.Dependency), row.Timeout, row.P50, row.P99, row.TimeoutP99,
			row.FalseTimeouts, row.Fallback, row.Attempts, row.Status, worstFinding(row.Findings),
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, row := range rows {
		writeRemarks(&out, row)
	}
	if err := r.writeChains(&out); err != nil {
		return err
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func worstFinding(findings []rules.Finding) string {
	if len(findings) == 0 {
		return missing
	}
	text := fmt.Sprintf("%s %s", findings[0].Severity, findings[0].Rule)
	if more := len(findings) - 1; more > 0 {
		text += fmt.Sprintf(" (+%d)", more)
	}
	return text
}

func writeRemarks(out *strings.Builder, row Row) {
	if row.Detail == "" && len(row.Findings) == 0 && len(row.Policy) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", printable(row.Dependency))
	if row.Detail != "" {
		fmt.Fprintf(out, "  %s: %s\n", row.Status, printable(row.Detail))
	}
	for _, difference := range row.Policy {
		fmt.Fprintf(out, "  policy: %s\n", printable(difference))
	}
	writeFindings(out, row.Findings)
	for _, note := range row.Notes {
		fmt.Fprintf(out, "  note: %s\n", printable(note))
	}
}

func writeFindings(out *strings.Builder, findings []rules.Finding) {
	for _, f := range findings {
		fmt.Fprintf(out, "  %s %s: %s%s\n", f.Severity, f.Rule, printable(f.Message), heldText(f))
		if f.Advice != "" {
			fmt.Fprintf(out, "    do: %s\n", printable(f.Advice))
		}
	}
}

func heldText(f rules.Finding) string {
	if f.Held == rules.NotHeld {
		return ""
	}
	return fmt.Sprintf(" (held, %s now; last decided %s)", f.Held, f.Decided.UTC().Format(time.RFC3339))
}

// printable keeps text from outside from moving the cursor of a terminal,
// turning its direction around or breaking a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
