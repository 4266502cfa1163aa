package promquery

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// selection is a selector taken apart: the labels that must have one value
// each, and all other matchers. Dependencies whose selectors differ in the
// values alone are asked about together.
type selection struct {
	names  []string // ascending
	values []string // of names
	rest   []*labels.Matcher
}

// tupleEnd ends each value of a tuple. It is no UTF-8, so no value contains it.
const tupleEnd = "\xff"

// tuple is the values as one text. A series without a label has "" there, which
// is also what a matcher for "" selects.
func (s selection) tuple() string {
	if len(s.values) == 0 {
		return ""
	}
	return strings.Join(s.values, tupleEnd) + tupleEnd
}

// shape is what selections have in common that can be asked for together.
func (s selection) shape() string {
	rest := make([]string, len(s.rest))
	for i, m := range s.rest {
		rest[i] = m.String()
	}
	slices.Sort(rest)
	return strings.Join(s.names, tupleEnd) + tupleEnd + tupleEnd + strings.Join(rest, tupleEnd)
}

// selectionOf takes matchers apart. A reserved label is one that the query
// itself writes or groups by; its matcher stays as it is.
func selectionOf(matchers []*labels.Matcher, reserved ...string) selection {
	var s selection
	byName := map[string]string{}
	for _, m := range matchers {
		_, twice := byName[m.Name]
		if m.Type != labels.MatchEqual || twice || isReserved(m.Name) || slices.Contains(reserved, m.Name) || !utf8.ValidString(m.Value) {
			s.rest = append(s.rest, m)
			continue
		}
		byName[m.Name] = m.Value
		s.names = append(s.names, m.Name)
	}
	slices.Sort(s.names)
	for _, name := range s.names {
		s.values = append(s.values, byName[name])
	}
	return s
}

// isReserved names the labels that our own queries write.
func isReserved(name string) bool {
	switch name {
	case model.MetricNameLabel, labels.BucketLabel, statLabel, quantileLabel:
		return true
	}
	return false
}
