package metrics

import (
	"bufio"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timeout-auditor/timeout-auditor/metric"
)

// text writes the Prometheus text format, version 0.0.4.
type text struct {
	out    *bufio.Writer
	err    error
	escape *strings.Replacer
	help   *strings.Replacer
	line   []byte
	order  []int // of the family's labels: by name
}

func newText(out *bufio.Writer) *text {
	return &text{
		out:    out,
		escape: strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`),
		help:   strings.NewReplacer(`\`, `\\`, "\n", `\n`),
	}
}

// head begins a family.
func (t *text) head(row metric.Desc) {
	t.order = t.order[:0]
	for i := range row.Labels {
		t.order = append(t.order, i)
	}
	slices.SortFunc(t.order, func(a, b int) int { return strings.Compare(row.Labels[a], row.Labels[b]) })
	t.write([]byte("# HELP " + row.Name + " " + t.help.Replace(row.Help) + "\n# TYPE " + row.Name + " " + string(row.Kind) + "\n"))
}

// series writes one line of the family begun last. A label without a value is
// left out: to Prometheus the two are one.
func (t *text) series(row metric.Desc, s series) {
	t.line = append(append(t.line[:0], row.Name...), '{')
	for _, i := range t.order {
		v := s.labels[i]
		if v == "" {
			continue
		}
		t.line = append(append(t.line, row.Labels[i]...), '=', '"')
		if strings.ContainsAny(v, "\\\n\"") {
			v = t.escape.Replace(v)
		}
		t.line = append(append(t.line, v...), '"', ',')
	}
	if last := len(t.line) - 1; t.line[last] == ',' {
		t.line[last] = '}'
	} else {
		t.line = append(t.line, '}')
	}
	t.line = append(t.line, ' ')
	t.write(append(appendValue(t.line, s.value), '\n'))
}

func appendValue(to []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(to, "+Inf"...)
	case math.IsInf(v, -1):
		return append(to, "-Inf"...)
	}
	const digits = 10 // of which the counts carry four at best
	return strconv.AppendFloat(to, v, 'g', digits, 64)
}

func (t *text) write(p []byte) {
	if t.err == nil {
		_, t.err = t.out.Write(p)
	}
}
