package web

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/calc"
)

// calculatorsPage is what calculators.html shows.
type calculatorsPage struct {
	page
	Calculators []calculator
}

// calculator is one of the three of the command line, with what the address
// asks it.
type calculator struct {
	Name, Title, Intro string
	Fields             []formField
	Command            string  // the same on the command line; "": not asked
	Error              string  // of no input in particular
	Tables             []block // the answer
	headed             bool    // the first row of a table is its heading
	work               func(calc.Values) (answer, error)
}

// answer is a result of package calc.
type answer interface{ Cells() [][]string }

// block is a part of an answer between blank rows: sentences, or a table.
type block struct {
	Sentences []string
	Title     string
	Head      []string
	Rows      [][]string
}

func calculators() []calculator {
	return []calculator{
		{
			Name: "fallback", Title: "Fallbacks", Intro: "How many calls use up all their attempts and end in a fallback.",
			Fields: []formField{
				{Name: "p50", Label: "Median latency of an attempt", Help: "such as 180ms"},
				{Name: "p99", Label: "99th percentile of it", Help: "such as 1.4s"},
				{Name: "timeout", Label: "Timeout of an attempt", Help: "such as 2s"},
				{Name: "retries", Label: "Retries", Value: "0"},
				{Name: "correlation", Label: "Correlation of attempts", Value: "0.5", Help: "0: each is a new draw, to 1: all meet one fate"},
				{Name: "error-ratio", Label: "Attempts that fail otherwise", Value: "0", Help: "0 to 1"},
				{Name: "calls-per-day", Label: "Calls a day", Help: "may be left empty"},
				{Name: "retry-on-timeout", Label: "Timeouts are retried", Value: "true", Help: "true or false"},
			},
			work: func(v calc.Values) (answer, error) {
				in, err := calc.FallbackFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
		},
		{
			Name: "timeout", Title: "Timeouts", headed: true, Intro: "What timeouts cost in false timeouts, and how late they notice a dead callee.",
			Fields: []formField{
				{Name: "p50", Label: "Median latency of an attempt", Help: "such as 180ms"},
				{Name: "p99", Label: "99th percentile of it", Help: "or sigma in its place"},
				{Name: "sigma", Label: "Sigma of ln latency", Help: "in place of p99"},
				{Name: "timeout", Label: "Timeouts to look at too", Help: "several with blanks between; may be left empty"},
			},
			work: func(v calc.Values) (answer, error) {
				in, err := calc.TimeoutFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
		},
		{
			Name: "budget", Title: "Budgets", headed: true, Intro: "How a deadline divides among calls made one after another.",
			Fields: []formField{
				{Name: "deadline", Label: "Deadline of the whole", Help: "such as 2s"},
				{Name: "hops", Label: "Calls in a row", Help: "calls in parallel count as one, the slowest"},
				{Name: "retries", Label: "Retries at every hop", Value: "0"},
				{Name: "overhead", Label: "Overhead of each attempt", Help: "may be left empty"},
				{Name: "p99", Label: "99th percentile of a hop", Help: "one for all, or one per hop with blanks between"},
				{Name: "rate", Label: "Calls per second", Help: "may be left empty"},
			},
			work: func(v calc.Values) (answer, error) {
				in, err := calc.BudgetFrom(v)
				if err != nil {
					return nil, err
				}
				return in.Calculate()
			},
		},
	}
}

func (s *site) calculators(w http.ResponseWriter, r *http.Request) {
	p := calculatorsPage{page: s.page("Calculators", "calculators"), Calculators: calculators()}
	asked := r.URL.Query()
	for i := range p.Calculators {
		c := &p.Calculators[i]
		for j := range c.Fields {
			c.Fields[j].ID = c.Name + "-" + c.Fields[j].Name
		}
		if c.Name == asked.Get("calculator") {
			c.ask(asked)
		}
	}
	s.show(w, "calculators.html", p)
}

// ask answers from the address, or says which input is wrong.
func (c *calculator) ask(v url.Values) {
	values := calc.Values{}
	command := []string{"timeout-auditor calc " + c.Name}
	for i := range c.Fields {
		field := &c.Fields[i]
		if given, ok := v[field.Name]; ok {
			field.Value = strings.TrimSpace(strings.Join(given, " "))
		}
		parts := strings.Fields(strings.ReplaceAll(field.Value, ",", " "))
		if !several(c.Name, field.Name) && field.Value != "" {
			parts = []string{field.Value}
		}
		values[field.Name] = parts
		for _, part := range parts {
			command = append(command, "--"+field.Name+"="+shellWord(part))
		}
	}
	result, err := c.work(values)
	var wrong *calc.InputError
	switch {
	case err == nil:
		c.Command, c.Tables = strings.Join(command, " "), blocksOf(result.Cells(), c.headed)
	case errors.As(err, &wrong):
		c.blame(*wrong)
	default:
		c.Error = err.Error()
	}
}

// several reports whether an input may be given more than once.
func several(calculator, input string) bool {
	return calculator == "timeout" && input == "timeout" || calculator == "budget" && input == "p99"
}

func (c *calculator) blame(wrong calc.InputError) {
	for i := range c.Fields {
		if field := &c.Fields[i]; field.Name == wrong.Input {
			field.Error = refusal(false, wrong.Want, wrong.Got)
			return
		}
	}
	c.Error = wrong.Error()
}

// shellWord quotes what a shell would not take as one word.
func shellWord(s string) string {
	if regexp.MustCompile(`^[A-Za-z0-9.:_+-]+$`).MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// blocksOf splits an answer at its blank rows.
func blocksOf(rows [][]string, headed bool) []block {
	var blocks []block
	next := true
	for _, row := range rows {
		if len(row) == 0 {
			next = true
			continue
		}
		first := next && len(blocks) > 0
		if next {
			blocks = append(blocks, block{})
		}
		next = false
		b := &blocks[len(blocks)-1]
		switch {
		case headed && first && len(row) > 1:
			b.Head = row
		case len(row) == 1 && first && !headed:
			b.Title = row[0]
		case len(row) == 1:
			b.Sentences = append(b.Sentences, row[0])
		default:
			b.Rows = append(b.Rows, row)
		}
	}
	return blocks
}
