package exposition

import (
	"fmt"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// Error says why an exposition, or a histogram in it, cannot be read, and what
// would be right.
type Error struct {
	File    string
	Line    int            // from 1; 0 where no line is to blame
	Metric  string         // empty where the file as a whole is to blame
	Reason  latency.Reason // what is wrong with the histogram; empty where there is none yet, or no exposition at all
	Message string
	Err     error // the cause; nil where there is none
}

// Error is file:line: metric: message, on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Metric != "" {
		b.WriteString(e.Metric + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// shown quotes text from the file, and cuts it where it is long.
func shown(text string) string {
	const most = 60
	runes := []rune(text)
	if len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
