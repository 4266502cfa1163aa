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
	answers map[string]*routed
	kind    model.ValueType
	alone   model.Value // a scalar or a string
}

type routed struct {
	vector model.Vector
	matrix model.Matrix
}

// routerOf takes the answer to a chunk apart.
func routerOf(c chunk) *router {
	r := &router{names: map[string]int{}, answers: make(map[string]*routed, len(c.members))}
	for i, name := range c.members[0].question.group.names {
		r.names[name] = i
	}
	for _, m := range c.members {
		r.answers[m.tuple] = &routed{}
	}
	return r
}

// whole keeps an answer as it is.
func whole() *router { return &router{answers: map[string]*routed{"": {}}} }

// reset forgets an answer that broke off.
func (r *router) reset() {
	r.kind, r.alone = model.ValNone, nil
	for _, to := range r.answers {
		*to = routed{}
	}
}

// answer is what an own query with these values would have been answered; nil
// where there was no result at all.
func (r *router) answer(tuple string) model.Value {
	switch r.kind {
	case model.ValMatrix:
		return r.answers[tuple].matrix
	case model.ValVector:
		return r.answers[tuple].vector
	}
	return r.alone
}

// element is one series of a result.
type element struct {
	metric model.Metric
	values []string // of the labels of the tuple
	sample *model.Sample
	stream *model.SampleStream
}

// put adds an element to the answer that it belongs to; what nobody asked about
// is dropped.
func (r *router) put(e element, key []byte) []byte {
	key = key[:0]
	for _, v := range e.values {
		key = append(append(key, v...), tupleEnd...)
	}
	to := r.answers[string(key)]
	if to == nil {
		return key
	}
	if r.kind == model.ValMatrix {
		to.matrix = append(to.matrix, e.stream)
	} else {
		to.vector = append(to.vector, e.sample)
	}
	return key
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
