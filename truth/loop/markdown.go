package loop

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

// WriteMarkdown writes the rows as a table with a paragraph on how they did.
// What lies outside its interval is bold. Its error is that of w.
func WriteMarkdown(w io.Writer, rows []Row) error {
	var text strings.Builder
	line := func(cells ...string) { text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line("policy, and what its callee does", "calls",
		"fallbacks: measured", "predicted", "may lie in",
		"attempts per call: measured", "predicted", "may lie in",
		"mean duration: measured", "predicted", "may lie in")
	text.WriteString("|---|" + strings.Repeat("--:|", 10) + "\n")
	inside, latest := 0, Lateness{}
	for _, r := range rows {
		cells := []string{r.Policy, figure.Count(float64(r.Calls))}
		cells = append(cells, r.Fallback.cells(figure.Ratio)...)
		cells = append(cells, r.Attempts.cells(attemptsText)...)
		cells = append(cells, r.Duration.cells(figure.Seconds)...)
		line(cells...)
		for _, m := range []Measure{r.Fallback, r.Attempts, r.Duration} {
			if m.Inside {
				inside++
			}
		}
		latest = Lateness{max(latest.Replies, r.Late.Replies), max(latest.Timers, r.Late.Timers)}
	}
	fmt.Fprintf(&text, "\n%d of %d figures lie where they may. Intervals hold the sampling error at 99.9%% and the lateness of this run: "+
		"on average over one policy's calls, replies were up to %s late and timers up to %s.\n",
		inside, 3*len(rows), figure.Seconds(latest.Replies), figure.Seconds(latest.Timers))
	_, err := io.WriteString(w, text.String())
	return err
}

// cells returns what was measured, what was predicted and the interval.
func (m Measure) cells(print func(float64) string) []string {
	measured := print(m.Measured)
	if !m.Inside {
		measured = "**" + measured + "**"
	}
	return []string{measured, print(m.Predicted), print(m.Low) + " – " + print(m.High)}
}

// attemptsText prints attempts per call: what counts stands behind the 1.
func attemptsText(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
