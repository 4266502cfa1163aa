package calc

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// Text writes the result as tables.
func (b Budget) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	b.write(t)
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (b Budget) write(t io.Writer) {
	fmt.Fprintf(t, "deadline %s over %s in a row, %s each, %s overhead per attempt\n",
		seconds(b.DeadlineSeconds), plural(b.Hops, "hop"), plural(b.Retries, "retry"), seconds(b.OverheadSeconds))
	fmt.Fprintf(t, "share per attempt: %s\n", b.shareText())
	fmt.Fprintf(t, "worst case at the last hop: %s the calls\n", times(b.WorstCaseAmplification))
	if b.NeededSeconds != nil {
		fmt.Fprintf(t, "needed: %s with p99 for every attempt, %s with twice that: %s\n",
			figure.Seconds(*b.NeededLeastSeconds), figure.Seconds(*b.NeededSeconds), b.Fit.text())
	}
	b.hops(t)
	b.leverTable(t)
}

func (b Budget) shareText() string {
	if b.AttemptShareSeconds <= 0 {
		return fmt.Sprintf("none: the deadline is %s too short for the overhead of each attempt", figure.Seconds(-b.AttemptShareSeconds))
	}
	return fourDigits(b.AttemptShareSeconds)
}

func (f Fit) text() string {
	switch f {
	case FitComfortable, FitTight:
		return "the fit is " + string(f)
	case FitNone:
		return "does not fit"
	}
	return "not known"
}

func (b Budget) hops(w io.Writer) {
	measured, rated := b.NeededSeconds != nil, b.RequestsPerSecond != nil
	columns := []string{"hop"}
	if measured {
		columns = append(columns, "p99", "share ÷ p99", "left before it")
	}
	columns = append(columns, "worst case")
	if rated {
		columns = append(columns, "requests/s at worst")
	}
	if measured {
		columns = append(columns, "band")
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(columns, "\t"))
	for _, hop := range b.HopTable {
		cells := []string{fmt.Sprint(hop.Hop)}
		if measured {
			cells = append(cells, seconds(*hop.P99Seconds), fmt.Sprintf("%.2f", *hop.ShareP99Ratio), seconds(*hop.RemainingSeconds))
		}
		cells = append(cells, times(hop.WorstCaseAmplification))
		if rated {
			cells = append(cells, figure.Count(*hop.WorstCaseRequestsPerSecond))
		}
		if measured {
			cells = append(cells, bandText(hop.Band))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	switch left := b.RemainingLastSeconds; {
	case left == nil:
	case *left < 0:
		fmt.Fprintf(w, "with one attempt of p99 each, the deadline is over %s before the last hop is\n", seconds(-*left))
	default:
		fmt.Fprintf(w, "with one attempt of p99 each, %s are left after the last hop\n", seconds(*left))
	}
}

func (b Budget) leverTable(w io.Writer) {
	fmt.Fprintf(w, "\nlever\tshare\tworst case\tfit\tchange\n")
	for _, l := range b.Levers {
		share, worst, fit := "-", "-", "-"
		if l.AttemptShareSeconds != nil {
			share = fourDigits(*l.AttemptShareSeconds)
		}
		if l.WorstCaseAmplification != nil {
			worst = times(*l.WorstCaseAmplification)
		}
		if l.Fit != FitUnknown {
			fit = strings.ReplaceAll(string(l.Fit), "_", " ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", strings.ReplaceAll(l.Lever, "-", " "), share, worst, fit, l.Change)
	}
}
