package calc

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// Text writes the result as tables.
func (t Timeout) Text(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	t.write(out)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (t Timeout) write(out io.Writer) {
	if t.PointMass {
		fmt.Fprintf(out, "latency: p99 equals p50, a point mass: every attempt takes %s\n", seconds(t.P50Seconds))
	} else {
		fmt.Fprintf(out, "latency: p50 %s, p99 %s, lognormal, sigma %.3f\n",
			seconds(t.P50Seconds), figure.Seconds(t.P99Seconds), t.LognormalSigma)
	}
	if len(t.Asked) > 0 {
		timeoutTable(out, "asked for", t.Asked)
	}
	timeoutTable(out, "sweep", t.Sweep)
	timeoutTable(out, "multiples of p99", t.Multiples)
	fmt.Fprintf(out, "\ntarget ratio\ttimeout\t× p99\n")
	for _, row := range t.Targets {
		fmt.Fprintf(out, "%s\t%s\t%.2f\n", plain(row.TargetRatio*100)+"%", fourDigits(row.TimeoutSeconds), row.TimeoutP99Ratio)
	}
	fmt.Fprintf(out, "\nNo timeout is safe: a longer one cuts off fewer good replies and notices a dead callee later.\n")
}

func timeoutTable(w io.Writer, title string, rows []TimeoutRow) {
	fmt.Fprintf(w, "\n%s\t× p99\tfalse timeouts\tlevel\tdetection delay\tmean attempt\tband\n", title)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%.2f\t%s\t%s\t%s\t%s\t%s\n",
			fourDigits(row.TimeoutSeconds), row.TimeoutP99Ratio, percent(row.FalseTimeoutRatio), row.FalseTimeoutLevel,
			fourDigits(row.DetectionDelaySeconds), figure.Seconds(row.MeanAttemptSeconds), bandText(row.Band))
	}
}

// bandText says what a band means.
func bandText(b retry.Band) string {
	switch b {
	case retry.BandBelowP99:
		return "below p99, fails healthy calls"
	case retry.BandTight:
		return "tight"
	case retry.BandBetween:
		return "between tight and comfortable"
	case retry.BandComfortable:
		return "comfortable"
	case retry.BandLoose:
		return "loose"
	case retry.BandTooLong:
		return "too long, threads pile up"
	}
	return "unknown"
}
