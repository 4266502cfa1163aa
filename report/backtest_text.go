package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// byUrgency orders dependencies for a reader: worst finding first, then more
// windows above, then what is unknown, then by name.
func (b *Backtests) byUrgency() []DependencyBacktest {
	ordered := slices.Clone(b.Dependencies)
	slices.SortStableFunc(ordered, func(x, y DependencyBacktest) int {
		return cmp.Or(
			y.worst().Compare(x.worst()),
			cmp.Compare(y.Declared.Above, x.Declared.Above),
			cmp.Compare(y.Declared.Unknown, x.Declared.Unknown),
			cmp.Compare(x.Dependency.Name, y.Dependency.Name),
		)
	})
	return ordered
}

// WriteText writes a table of all dependencies, worst first, and below it for
// each how other timeouts would have held.
func (b *Backtests) WriteText(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s to %s in windows of %s\n\n", clock(b.Since), clock(b.Until), period(b.Step))
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEPENDENCY\tTIMEOUT\tWOULD CUT\tWINDOWS JUDGED\tABOVE 1%\tUNDECIDED\tUNKNOWN\tP99\tWORST WINDOW SURELY")
	ordered := b.byUrgency()
	for _, d := range ordered {
		fmt.Fprintln(table, strings.Join(d.cells(printable), "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, d := range ordered {
		if err := d.WriteText(&out); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// cells is one line of the table of all dependencies.
func (d DependencyBacktest) cells(name func(string) string) []string {
	cells := []string{name(d.Dependency.Name), "none", missing, missing, missing, missing, missing, d.P99(), d.WorstWindow()}
	if d.Limit > 0 {
		row := backtestRow(d.Declared, false)
		copy(cells[1:], []string{row.Timeout, row.Cut, fmt.Sprint(d.Declared.Judged()), row.Above, row.Undecided, row.Unknown})
	}
	if d.History.Worst != nil {
		cells[len(cells)-1] = d.Quantile() + " " + cells[len(cells)-1]
	}
	return cells
}

// WriteText writes one dependency's past: what was found, and a line for each
// timeout.
func (d DependencyBacktest) WriteText(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s\n", printable(d.Dependency.Name))
	writeFindings(&out, d.Findings)
	for _, line := range []string{d.Recommended(), d.Unknown()} {
		if line != "" {
			fmt.Fprintf(&out, "  %s\n", printable(line))
		}
	}
	if rows := d.Rows(); len(rows) > 0 {
		table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  TIMEOUT\tWOULD CUT\tWINDOWS ABOVE 1%\tBELOW\tUNDECIDED\tUNKNOWN")
		for _, row := range rows {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", row.Timeout, row.Cut, row.Above, row.Below, row.Undecided, row.Unknown)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
