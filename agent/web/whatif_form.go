package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/calc"
	"github.com/timeout-auditor/timeout-auditor/config"
)

// formField is one input of a form.
type formField struct {
	ID                 string // unique on the page
	Name, Label, Value string
	Help               string
	Error              string // what is wrong with Value; empty: nothing
}

// whatIfForm is a policy to try, as the address asks for it. What the address
// leaves out is as declared.
type whatIfForm struct {
	Fields      []formField
	Asked       bool // the address has one of the inputs
	Wrong       bool // one of them cannot be read or is out of bounds
	policy      config.Policy
	correlation float64
}

const none = "none"

// whatIfFrom reads the inputs timeout, retries, backoff, deadline and
// correlation. Their bounds are those of the configuration.
func whatIfFrom(v url.Values, declared config.Policy, correlation float64) whatIfForm {
	f := whatIfForm{policy: declared, correlation: correlation}
	p := &f.policy
	f.read(v, formField{
		Name: "timeout", Label: "Timeout of an attempt", Value: durationText(p.Timeout), Help: "above 0 to 24h, or none",
	}, func(text string) string { return limit(text, &p.Timeout) })
	f.read(v, formField{
		Name: "retries", Label: "Retries", Value: strconv.Itoa(p.Retries), Help: "0 to 100",
	}, func(text string) string {
		n, err := strconv.Atoi(text)
		p.Retries = n
		return refusal(err == nil && n >= 0 && n <= 100, "must be a whole number from 0 to 100", text)
	})
	f.read(v, formField{
		Name: "backoff", Label: "Wait before the first retry", Value: p.Backoff.Initial.String(), Help: backoffHelp(declared),
	}, func(text string) string {
		d, err := time.ParseDuration(text)
		p.Backoff.Initial = d
		longest := longestDuration
		if declared.Backoff.Max > 0 {
			longest = declared.Backoff.Max
		}
		return refusal(err == nil && d >= 0 && d <= longest, "must be a duration from 0s to "+durationText(longest), text)
	})
	f.read(v, formField{
		Name: "deadline", Label: "Deadline of the call", Value: durationText(p.Deadline), Help: "above 0 to 24h, or none",
	}, func(text string) string { return limit(text, &p.Deadline) })
	f.read(v, formField{
		Name: "correlation", Label: "Correlation of attempts", Value: strconv.FormatFloat(correlation, 'g', 4, 64),
		Help: "0: each attempt is a new draw, to 1: all meet one fate",
	}, func(text string) string {
		x, err := strconv.ParseFloat(text, 64)
		f.correlation = x
		return refusal(err == nil && x >= 0 && x <= 1, "must be a number from 0 to 1", text)
	})
	return f
}

// read takes one input from the address. check stores it and says what is wrong.
func (f *whatIfForm) read(v url.Values, field formField, check func(text string) string) {
	if text := strings.TrimSpace(v.Get(field.Name)); text != "" {
		f.Asked = true
		if text != field.Value { // what is declared needs no check, and keeps its digits
			field.Error = check(text)
		}
		field.Value = text
		f.Wrong = f.Wrong || field.Error != ""
	}
	field.ID = "what-if-" + field.Name
	f.Fields = append(f.Fields, field)
}

// longestDuration bounds the durations of a policy, as the configuration does.
const longestDuration = 24 * time.Hour

func limit(text string, into *time.Duration) string {
	if strings.EqualFold(text, none) {
		*into = 0
		return ""
	}
	d, err := time.ParseDuration(text)
	*into = d
	return refusal(err == nil && d > 0 && d <= longestDuration, "must be a duration above 0 and at most 24h, such as 250ms or 1.5s, or none", text)
}

// refusal says what would be right, in the words of the calculators.
func refusal(right bool, want, got string) string {
	if right {
		return ""
	}
	return strings.TrimPrefix((&calc.InputError{Want: want, Got: got}).Error(), ": ")
}

func durationText(d time.Duration) string {
	switch {
	case d == 0:
		return none
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return d.String()
}

func backoffHelp(declared config.Policy) string {
	help := "0s to " + durationText(longestDuration)
	if declared.Backoff.Max > 0 {
		help = "0s to " + declared.Backoff.Max.String() + ", the declared longest wait"
	}
	if declared.Backoff.Jitter == "full" {
		help += "; full jitter"
	}
	return help
}
