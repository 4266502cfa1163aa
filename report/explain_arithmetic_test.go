package report_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"gonum.org/v1/gonum/mathext"
)

// arithmetic reads a formula as a person with a calculator does: numbers,
// + - · / ^, ln, √, ½, erfc, min, max, and betaQuantile of the limits.
type arithmetic struct {
	text []rune
	at   int
}

var errNotArithmetic = errors.New("not arithmetic")

// calculate works a formula out, or reports that it is none.
func calculate(formula string) (result float64, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if err, is := r.(error); !is || !errors.Is(err, errNotArithmetic) {
				panic(r)
			}
			result, ok = 0, false
		}
	}()
	a := arithmetic{text: []rune(formula)}
	result = a.sum()
	a.skip()
	return result, a.at == len(a.text)
}

func (a *arithmetic) skip() {
	for a.at < len(a.text) && a.text[a.at] == ' ' {
		a.at++
	}
}

// take consumes a token if it comes next.
func (a *arithmetic) take(token string) bool {
	a.skip()
	if !strings.HasPrefix(string(a.text[a.at:]), token) {
		return false
	}
	a.at += len([]rune(token))
	return true
}

func (a *arithmetic) need(token string) {
	if !a.take(token) {
		panic(errNotArithmetic)
	}
}

func (a *arithmetic) sum() float64 {
	value := a.product()
	for {
		switch {
		case a.take("+"):
			value += a.product()
		case a.take("-"):
			value -= a.product()
		default:
			return value
		}
	}
}

func (a *arithmetic) product() float64 {
	value := a.power()
	for {
		switch {
		case a.take("·"):
			value *= a.power()
		case a.take("/"):
			value /= a.power()
		case a.at < len(a.text) && a.text[a.at] == '√': // sigma·√2 and sigma√2
			value *= a.power()
		default:
			return value
		}
	}
}

func (a *arithmetic) power() float64 {
	value := a.atom()
	if a.take("^") {
		return math.Pow(value, a.atom())
	}
	return value
}

func (a *arithmetic) atom() float64 {
	switch {
	case a.take("½"):
		return 0.5
	case a.take("√"):
		return math.Sqrt(a.atom())
	case a.take("ln"):
		return math.Log(a.atom())
	case a.take("erfc("):
		return math.Erfc(a.arguments(1)[0])
	case a.take("max("):
		xs := a.arguments(2)
		return max(xs[0], xs[1])
	case a.take("min("):
		xs := a.arguments(2)
		return min(xs[0], xs[1])
	case a.take("betaQuantile("):
		xs := a.arguments(3)
		return mathext.InvRegIncBeta(xs[1], xs[2], xs[0])
	case a.take("("):
		value := a.sum()
		a.need(")")
		return value
	}
	return a.number()
}

func (a *arithmetic) arguments(n int) []float64 {
	xs := []float64{a.sum()}
	for len(xs) < n {
		a.need(",")
		xs = append(xs, a.sum())
	}
	a.need(")")
	return xs
}

var numberPattern = regexp.MustCompile(`^-?\d+(\.\d+)?(e[-+]\d+)?`)

func (a *arithmetic) number() float64 {
	a.skip()
	found := numberPattern.FindString(string(a.text[a.at:]))
	value, err := strconv.ParseFloat(found, 64)
	if err != nil {
		panic(errNotArithmetic)
	}
	a.at += len(found)
	return value
}

func TestCalculatorKnowsItsArithmetic(t *testing.T) {
	for formula, want := range map[string]float64{
		"1 + 2·3^2/6 - (-1)":     5,
		"½·erfc((ln 2)/(3·√2))":  0.40864,
		"min(3, 2) + max(1, 4)":  6,
		"1 - 0.005^(1/100)":      0.051604,
		"betaQuantile(0.5, 3,3)": 0.5,
		"2.5e-05":                2.5e-5,
	} {
		got, ok := calculate(formula)
		if !ok || math.Abs(got-want) > 1e-5 {
			t.Errorf("%s gives %g (%t), want %g", formula, got, ok, want)
		}
	}
	for _, text := range []string{"", "T", "1 +", "(1", "3 values", "½·erfc(z(T)/√2)"} {
		if got, ok := calculate(text); ok {
			t.Errorf("%q is taken for %g", text, got)
		}
	}
}

// unwrapped joins the lines of an explanation that were broken to fit.
func unwrapped(text string) []string {
	var lines []string
	indentOf := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	indent := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if n := indentOf(line); len(lines) > 0 && n == indent+2 && strings.TrimSpace(line) != "" {
			lines[len(lines)-1] += " " + strings.TrimSpace(line)
			continue
		}
		indent = indentOf(line)
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

var (
	percent = regexp.MustCompile(` \([\d.]+%\)`)
	beta    = regexp.MustCompile(`the ([\d.]+) quantile of Beta\(`)
	unit    = regexp.MustCompile(` (s|calls)$`)
)

// clauses splits a line where a new statement begins: at commas, colons and
// semicolons that are not inside brackets.
func clauses(line string) []string {
	line = percent.ReplaceAllString(line, "")
	line = beta.ReplaceAllString(line, "betaQuantile($1, ")
	var all []string
	depth, start := 0, 0
	runes := []rune(line)
	for i, r := range runes {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',', ':', ';':
			if depth == 0 && (i+1 == len(runes) || unicode.IsSpace(runes[i+1])) {
				all = append(all, string(runes[start:i]))
				start = i + 1
			}
		}
	}
	return append(all, string(runes[start:]))
}

// wrongSums returns what does not work out in a text, and how many equations
// were worked out.
func wrongSums(text string) (wrong []string, checked int) {
	for _, line := range unwrapped(text) {
		for _, clause := range clauses(line) {
			last, known := 0.0, false
			for side := range strings.SplitSeq(clause, " = ") {
				value, ok := calculate(unit.ReplaceAllString(strings.TrimSpace(side), ""))
				if ok && known {
					checked++
					// Six digits are printed, and a difference of two loses some.
					if math.Abs(value-last) > 2e-3*math.Abs(value)+1e-9 {
						wrong = append(wrong, fmt.Sprintf("%s: %g is not %g", clause, last, value))
					}
				}
				last, known = value, ok
			}
		}
	}
	return wrong, checked
}

// A statistician who works out a figure by hand with what is printed gets what
// is printed.
func TestEveryPrintedEquationWorksOut(t *testing.T) {
	r := scenarios(t)
	total := 0
	for _, d := range r.Dependencies {
		text := explained(t, r, d.Dependency.Name)
		wrong, checked := wrongSums(text)
		for _, w := range wrong {
			t.Errorf("%s: %s", d.Dependency.Name, w)
		}
		if least := 12; d.Tail != nil && len(d.Tail.Readings) > 0 && checked < least {
			t.Errorf("%s: only %d equations, want at least %d", d.Dependency.Name, checked, least)
		}
		total += checked
	}
	t.Logf("%d equations", total)
}

func TestWrongEquationsAreFound(t *testing.T) {
	wrong, checked := wrongSums("      p = above/count = 3600/36000 = 0.2\n      q = 1 + 1 = 2 s, r = 3\n")
	if len(wrong) != 1 || checked != 2 {
		t.Errorf("%d checked, wrong %v", checked, wrong)
	}
}
