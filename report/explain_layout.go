package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

const (
	columns       = 100 // of a line
	sectionIndent = 3   // of what stands under a heading
	formulaIndent = 6   // of what is to be worked out or pasted
)

// derivation lays out numbered sections of sentences, formulas and tables.
type derivation struct {
	out     strings.Builder
	section int
}

// heading begins the next section.
func (d *derivation) heading(title string) {
	d.section++
	fmt.Fprintf(&d.out, "\n%d. %s\n", d.section, title)
}

// say writes a sentence of the section.
func (d *derivation) say(format string, args ...any) { d.line(sectionIndent, format, args...) }

// formula writes one formula with its inputs and result.
func (d *derivation) formula(format string, args ...any) { d.line(formulaIndent, format, args...) }

// line wraps text at spaces; later lines stand two further in.
func (d *derivation) line(indent int, format string, args ...any) {
	d.wrap(indent, strings.Fields(fmt.Sprintf(format, args...)))
}

// expression writes PromQL, wrapped where a line break means nothing.
func (d *derivation) expression(promQL string) {
	if utf8.RuneCountInString(promQL) <= columns-formulaIndent {
		fmt.Fprintf(&d.out, "%*s%s\n", formulaIndent, "", promQL)
		return
	}
	d.wrap(formulaIndent, promQLWords(promQL))
}

func (d *derivation) wrap(indent int, words []string) {
	line := strings.Repeat(" ", indent)
	width, empty := indent, true
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if !empty && width+1+n > columns {
			d.out.WriteString(line + "\n")
			line = strings.Repeat(" ", indent+2)
			width, empty = indent+2, true
		}
		if !empty {
			line += " "
			width++
		}
		line += word
		width, empty = width+n, false
	}
	d.out.WriteString(line + "\n")
}

// promQLWords splits an expression at spaces that are not inside quotes.
func promQLWords(promQL string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	escaped := false
	for _, r := range promQL {
		switch {
		case quote == 0 && r == ' ':
			words = append(words, word.String())
			word.Reset()
			continue
		case quote == 0 && strings.ContainsRune("\"'`", r):
			quote = r
		case escaped:
			escaped = false
		case quote != 0 && quote != '`' && r == '\\':
			escaped = true
		case r == quote:
			quote = 0
		}
		word.WriteRune(r)
	}
	return append(words, word.String())
}

// table writes rows under a header. All columns but the first are numbers and
// stand on the right.
func (d *derivation) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", formulaIndent))
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		d.out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// digits prints a number with six significant digits, whole ones in full, so
// that a result can be worked out again from what is printed.
func digits(x float64) string {
	switch {
	case math.IsNaN(x):
		return "unknown"
	case math.IsInf(x, 1):
		return "+Inf"
	case x == 0: // and not -0
		return "0"
	case math.Abs(x) >= 999999.5:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// precise prints so many digits that a difference of what is printed still has
// six of them.
func precise(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// term is digits for use after an operator.
func term(x float64) string {
	if x < 0 {
		return "(" + digits(x) + ")"
	}
	return digits(x)
}

// share prints a ratio to calculate with and as people read it.
func share(x float64) string { return fmt.Sprintf("%s (%s)", digits(x), figure.Ratio(x)) }

// knownSeconds prints a time that may be absent.
func knownSeconds(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return digits(*x) + " s"
}
