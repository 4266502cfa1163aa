package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/retry"
)

// functions are what templates may call.
func (s *site) functions() template.FuncMap {
	return template.FuncMap{
		"text": text, "moment": moment, "machine": machine, "age": age, "plural": plural,
		"asset": s.address, "prefix": func() string { return s.links.prefix },
		"dependency": s.links.dependency, "chain": s.links.chain, "runbook": s.links.runbook,
		"seconds":  func(key string, v any) template.HTML { return datum(key, v, figure.Seconds) },
		"ratio":    func(key string, v any) template.HTML { return datum(key, v, figure.Ratio) },
		"multiple": func(key string, v any) template.HTML { return datum(key, v, figure.Multiple) },
		"count":    func(key string, v any) template.HTML { return datum(key, v, figure.Count) },
		"number":   func(key string, v any) template.HTML { return datum(key, v, plainNumber) },
		"band":     bandText,
		"minus":    func(a, b int) int { return a - b },
	}
}

// text keeps text from outside from turning its surroundings around: what does
// not print, overrides of the writing direction among it, becomes a visible
// replacement. Templates escape the rest.
func text(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// datum writes a figure for people, with its exact value for programs and its
// key in the report's JSON. One that is not known says so.
func datum(key string, v any, write func(float64) string) template.HTML {
	var x float64
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return `<span class="unknown">unknown</span>`
		}
		x = *v
	case float64:
		x = v
	case int:
		x = float64(v)
	}
	return template.HTML(fmt.Sprintf(`<data value="%s" data-key="%s">%s</data>`, //nolint:gosec // numbers and our own keys
		strconv.FormatFloat(x, 'g', -1, 64), template.HTMLEscapeString(key), template.HTMLEscapeString(write(x))))
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// age says how long before now a moment was.
func age(now, t time.Time) string {
	elapsed := now.Sub(t).Truncate(time.Second)
	if elapsed < 0 {
		return "just now"
	}
	return figure.Seconds(elapsed.Seconds()) + " ago"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return figure.Count(float64(n)) + " " + many
}

// bandText says what a band of timeout ÷ p99 means.
func bandText(b retry.Band) string {
	switch b {
	case retry.BandBelowP99:
		return "below p99: fails healthy calls"
	case retry.BandTight:
		return "tight"
	case retry.BandBetween:
		return "between tight and comfortable"
	case retry.BandComfortable:
		return "comfortable"
	case retry.BandLoose:
		return "loose"
	case retry.BandTooLong:
		return "too long: threads pile up"
	}
	return ""
}
