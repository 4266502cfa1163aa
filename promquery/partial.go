package promquery

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// partial is the error of an answer from which data is missing. Figures from a
// part of the data look like those from all of it, so none are made.
func partial(q latency.Query, warning string) *Error {
	return &Error{
		Kind:   KindPartial,
		Reason: latency.ReasonPartialResponse,
		Query:  q,
		Message: fmt.Sprintf("%s query: the server answered without some of its data (partial response): %s; "+
			"find out which of its stores is away, or does not have these series", q.Purpose, line(warning)),
	}
}

// leftOut finds a warning that says that data is missing, "" for none. What
// PromQL itself warns of is marked as such, and is about the data that is there.
// The rest comes from below: Thanos hands on the errors of stores, and
// Prometheus those of remote read.
func leftOut(warnings []string) string {
	for _, w := range warnings {
		text := strings.ToLower(w)
		if strings.HasPrefix(text, "promql ") {
			continue
		}
		if slices.ContainsFunc(saysMissing(), func(words string) bool { return strings.Contains(text, words) }) || storeFailed(text) {
			return w
		}
	}
	return ""
}

func saysMissing() []string {
	return []string{
		"partial response", "partial data", "no storeapis matched",
		"receive series from", "failed to receive any data", "fetch series for", "rpc error: code",
		"remote_read:", "error sending request", "remote server",
	}
}

func storeFailed(text string) bool {
	return regexp.MustCompile(`\bstores?\b.*\b(failed|failure|unavailable|unreachable)\b`).MatchString(text)
}
