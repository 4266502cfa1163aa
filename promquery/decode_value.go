package promquery

import (
	"fmt"
	"math"

	"github.com/prometheus/common/model"
)

// malformed is the error of an answer that does not fit the question.
func malformed(what string) *Error {
	return &Error{Kind: KindMalformed, Message: "the answer does not fit the question: " + what}
}

// elements returns the vector that an instant query answers with, each label
// set once.
func elements(a answer) ([]row, *Error) {
	if a.kind != model.ValVector {
		return nil, malformed("asked for a vector, got " + a.typed())
	}
	if l := a.twice(); l != nil {
		return nil, malformed("the series " + line(l.metric.String()) + " comes twice")
	}
	return a.rows, nil
}

// decodeQuantiles reads the answer to quantilesQuery, in the histogram's unit.
// A quantile that is NaN or infinite was not given: nil.
func decodeQuantiles(a answer) (p50, p99 *float64, err *Error) {
	vector, err := elements(a)
	if err != nil {
		return nil, nil, err
	}
	for _, sample := range vector {
		v := sample.point().number
		if sample.point().histogram != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		switch sample.value(quantileLabel) {
		case "0.5":
			p50 = &v
		case "0.99":
			p99 = &v
		}
	}
	return p50, p99, nil
}

// single reads the one number that a configured expression answers with. No
// element and NaN are no answer: nil, with the reason as a note.
func single(a asked, answered answer) (*float64, string, *Error) {
	rows := answered.rows
	switch {
	case answered.kind != model.ValScalar && answered.kind != model.ValVector:
		return nil, "", unusable(a, fmt.Sprintf("it answers with %s and must answer with one number", answered.typed()))
	case len(rows) == 0:
		return nil, a.key + ": no series match, so the figure is unknown" + a.whenNone(), nil
	case len(rows) > 1:
		return nil, "", unusable(a, fmt.Sprintf("it answers with %d series and must answer with one: aggregate it, for example by sum(…)", len(rows)))
	case rows[0].points[0].histogram != nil:
		return nil, "", unusable(a, "it answers with a histogram and must answer with a number: use histogram_count or histogram_sum")
	}
	v := rows[0].points[0].number
	switch {
	case math.IsNaN(v):
		return nil, a.key + ": the answer is NaN (nothing divided by nothing?), so the figure is unknown", nil
	case math.IsInf(v, 0):
		return nil, "", unusable(a, fmt.Sprintf("it answers with %g: is something divided by 0?", v))
	case v < 0:
		return nil, "", unusable(a, fmt.Sprintf("it answers with %g and must be at least 0", v))
	case a.gives == aRatio && v > 1+ratioSlack:
		return nil, "", unusable(a, fmt.Sprintf("it answers with %g and must be a ratio from 0 to 1: divide failures by attempts, and not into percent", v))
	case a.gives == aRatio:
		v = min(v, 1)
	}
	return &v, "", nil
}

// whenNone says why there may be no series and all is well.
func (a asked) whenNone() string {
	if a.gives == aQuantile {
		return ""
	}
	return "; a counter may have none before its first event"
}

// ratioSlack is how far above 1 a ratio of two rates may lie, since the server
// stretches each of them by itself.
const ratioSlack = 0.01

func unusable(a asked, what string) *Error {
	return &Error{Kind: KindUnusable, Query: a.query, Message: a.key + ": " + what}
}
