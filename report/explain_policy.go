package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// policy is section 4.
func (e *explanation) policy() {
	e.heading("The policy as declared and as it takes effect (§5)")
	declared, effective := e.Policy, e.Effective
	rows := [][]string{
		{"", "declared", "in effect"},
		{"timeout of an attempt", setSeconds(declared.Timeout), secondsList(effective.Timeouts)},
		{"deadline of a call", setSeconds(declared.Deadline), setSeconds(declared.Deadline)},
		{"attempts, if all time out", strconv.Itoa(declared.Retries + 1), strconv.Itoa(effective.Attempts)},
		{"attempts, if all fail at once", strconv.Itoa(declared.Retries + 1), strconv.Itoa(effective.WorstCase)},
		{"timeouts are retried", yesNo(declared.RetryOnTimeout), yesNo(effective.RetryOnTimeout)},
		{"longest backoff in all", setSeconds(declared.Backoff.Total(declared.Retries)), setSeconds(declared.Backoff.Total(effective.WorstCase - 1))},
		{"longest call", "", setSeconds(effective.Longest)},
	}
	if declared.Budget != nil {
		rows = append(rows, []string{"retry budget, retries/calls", digits(*declared.Budget), digits(*effective.Budget)})
	}
	if declared.HedgeAfter > 0 {
		rows = append(rows, []string{"hedge after", setSeconds(declared.HedgeAfter), setSeconds(effective.HedgeAfter)})
	}
	e.table(rows)
	for _, d := range effective.Differences {
		e.say("%s", differenceText(d))
	}
	if len(effective.Differences) == 0 {
		e.say("All of it takes effect as declared.")
	}
	switch {
	case e.callScope():
		e.say("The histogram measures whole calls, retries inside: T is the deadline, %s.", setSeconds(e.Limit))
	case e.Limit <= 0:
		e.say("No timeout takes effect, so there is no T.")
	default:
		e.say("T is the timeout of the first attempt, %s.", setSeconds(e.Limit))
	}
}

func differenceText(d retry.Difference) string {
	return fmt.Sprintf("%s: %s declared, %s in effect, since %s (%s).", d.What, d.Declared, d.Effective, d.Why, d.Code)
}

func setSeconds(seconds float64) string {
	if seconds <= 0 {
		return "none"
	}
	return digits(seconds) + " s"
}

// secondsList prints the timeouts of the attempts, equal ones once.
func secondsList(all []float64) string {
	const most = 6
	list := make([]string, 0, len(all))
	for _, seconds := range all {
		list = append(list, setSeconds(seconds))
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		return list[0]
	}
	if len(list) > most {
		list = append(list[:most], "…")
	}
	return strings.Join(list, ", ")
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
