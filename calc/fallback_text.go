package calc

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// Text writes the result as tables.
func (f Fallback) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	f.write(t)
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (f Fallback) write(w io.Writer) {
	f.head(w)
	f.ratios(w)
}

func (f Fallback) head(w io.Writer) {
	retried := "timeouts retried"
	if !f.RetryOnTimeout {
		retried = "timeouts not retried"
	}
	fmt.Fprintf(w, "latency\tp50 %s, p99 %s: %s\n", seconds(f.P50Seconds), seconds(f.P99Seconds), f.shape())
	fmt.Fprintf(w, "timeout\t%s per attempt, %s p99 (%s)\n",
		seconds(f.TimeoutSeconds), figure.Multiple(f.TimeoutP99Ratio), bandText(f.Band))
	fmt.Fprintf(w, "retries\t%d, %s; correlation %s\n", f.Retries, retried, plain(f.CorrelationRatio))
	fmt.Fprintf(w, "errors\t%s of attempts\n", percent(f.ErrorRatio))
	fmt.Fprintf(w, "amplification\t%.4f attempts per call expected, %d at worst\n", f.AmplificationRatio, f.WorstCaseAttempts)
}

func (f Fallback) shape() string {
	if f.PointMass {
		return "a point mass, every attempt takes as long"
	}
	return fmt.Sprintf("lognormal, sigma %.3f, implied p99.9 %s", f.LognormalSigma, figure.Seconds(f.P999Seconds))
}

// ratios writes one row per ratio, with calls a day where they are known.
func (f Fallback) ratios(w io.Writer) {
	n := f.Retries + 1
	row := func(indent, name, ratio string, value float64) {
		fmt.Fprintf(w, "%s%s\t%s", indent, name, ratio)
		if f.CallsPerDay != nil {
			fmt.Fprintf(w, "\t%s", perDay(value**f.CallsPerDay))
		}
		fmt.Fprintln(w)
	}
	mixed := "some time out, some error"
	timeouts, pure := "all time out", fmt.Sprintf("by cause: p%[1]s + e%[1]s", power(n))
	if !f.RetryOnTimeout {
		timeouts, mixed, pure = "the first times out", "errors, then a timeout", "by cause: p + e"+power(n)
	}
	fmt.Fprintln(w)
	row("", "an attempt is cut off ("+string(f.FalseTimeoutLevel)+")", percent(f.FalseTimeoutRatio), f.FalseTimeoutRatio)
	fmt.Fprintln(w)
	fmt.Fprintf(w, "every attempt of a call fails\n")
	row("  ", timeouts, percentOf(f.Causes.Timeout, 4), f.Causes.Timeout)
	row("  ", "all error", percentOf(f.Causes.Error, 4), f.Causes.Error)
	row("  ", mixed, percentOf(f.Causes.Mixed, 4), f.Causes.Mixed)
	row("  ", "fallback ratio", percentOf(f.FallbackRatio, 4), f.FallbackRatio)
	fmt.Fprintln(w)
	fmt.Fprintf(w, "if attempts were independent\n")
	row("  ", pure, percentOf(f.Independent.ByCauseRatio, 4), f.Independent.ByCauseRatio)
	row("  ", "with mixed sequences", percentOf(f.Independent.WithMixedRatio, 4), f.Independent.WithMixedRatio)
	row("", "if they shared one fate", percentOf(f.SharedFateRatio, 4), f.SharedFateRatio)
}

// power writes n as an exponent; 1 needs none.
func power(n int) string {
	if n == 1 {
		return ""
	}
	superscript := strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	return superscript.Replace(fmt.Sprint(n))
}
