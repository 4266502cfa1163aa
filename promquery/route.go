package promquery

import (
	"fmt"

	"github.com/prometheus/common/model"
)

// router sorts the elements of one answer by the tuple of values that they are
// about, and takes the labels with these values off them, so that each member
// of a chunk gets what its own query would have been answered with.
type router struct {
	names   map[string]int // the labels of the tuple and their places
	answers map[string]*[]row
	kind    model.ValueType

	spelled map[string]*labelSet // by the labels as they came
	sets    map[model.Fingerprint]*labelSet
	points  []point // room for those to come
	rows    int     // of the member that has most: others have as many
}

// routerOf takes the answer to a chunk apart.
func routerOf(c chunk) *router {
	r := whole()
	r.answers = make(map[string]*[]row, len(c.members))
	for i, name := range c.members[0].question.group.names {
		r.names[name] = i
	}
	for _, m := range c.members {
		r.answers[m.tuple] = new([]row)
	}
	return r
}

// whole keeps an answer as it is.
func whole() *router {
	return &router{
		names: map[string]int{}, answers: map[string]*[]row{"": {}},
		spelled: map[string]*labelSet{}, sets: map[model.Fingerprint]*labelSet{},
	}
}

// reset forgets an answer that broke off.
func (r *router) reset() {
	r.kind = model.ValNone
	for _, to := range r.answers {
		*to = nil
	}
}

// answer is what an own query with these values would have been answered.
func (r *router) answer(tuple string) answer {
	if r.kind == model.ValNone {
		return answer{}
	}
	return answer{r.kind, *r.answers[tuple]}
}

// take is answer for one who will not ask again: it is not kept.
func (r *router) take(tuple string) answer {
	a := r.answer(tuple)
	delete(r.answers, tuple)
	return a
}

// asks reports whether anybody asked about a tuple.
func (r *router) asks(tuple []byte) bool { return r.answers[string(tuple)] != nil }

// put adds a series to the answer of those who asked about it.
func (r *router) put(tuple []byte, labels *labelSet, points []point) {
	to := r.answers[string(tuple)]
	if *to == nil {
		*to = make([]row, 0, max(r.rows, 1))
	}
	*to = append(*to, row{labels, r.kept(points)})
	r.rows = max(r.rows, len(*to))
}

// kept copies points to where many of them lie side by side.
func (r *router) kept(points []point) []point {
	const together = 4096
	n := len(points)
	if cap(r.points)-len(r.points) < n {
		r.points = make([]point, 0, max(together, n))
	}
	from := len(r.points)
	r.points = append(r.points, points...)
	return r.points[from : from+n : from+n]
}

// labels returns the set for labels as they were spelled, which read gives.
func (r *router) labels(spelled []byte, read func() model.Metric) *labelSet {
	if l := r.spelled[string(spelled)]; l != nil {
		return l
	}
	metric := read()
	id := metric.Fingerprint()
	l := r.sets[id]
	if l == nil {
		l = newLabelSet(metric)
		r.sets[id] = l
	}
	r.spelled[string(spelled)] = l
	return l
}

// begin notes what kind of result comes.
func (r *router) begin(kind string) error {
	if r.kind = typeNamed(kind); r.kind == model.ValNone {
		return fmt.Errorf("unexpected value type %q", kind)
	}
	if len(r.names) > 0 && r.kind != model.ValMatrix && r.kind != model.ValVector {
		return fmt.Errorf("a %s where series were asked for", kind)
	}
	return nil
}

func typeNamed(kind string) model.ValueType {
	for _, t := range []model.ValueType{model.ValScalar, model.ValVector, model.ValMatrix, model.ValString} {
		if t.String() == kind {
			return t
		}
	}
	return model.ValNone
}
