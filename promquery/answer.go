package promquery

import (
	"math"
	"strconv"

	"github.com/prometheus/common/model"
)

// answer is the result of a query. One of the kind ValNone has no result at all.
type answer struct {
	kind model.ValueType
	rows []row
}

// row is one series of an answer: in a vector and in a scalar it has one point.
type row struct {
	*labelSet
	points []point
}

// point is the only one of a row of a vector.
func (r row) point() point { return r.points[0] }

// point is a sample: a number, or a histogram where that is not nil.
type point struct {
	at        model.Time
	number    float64
	histogram *model.SampleHistogram
}

// labelSet is what one series of an answer is called. Series with the same
// labels share it, within one reply, so that equal ones are the same.
type labelSet struct {
	metric model.Metric
	bound  float64 // of the label le; NaN where that is no number
}

func newLabelSet(metric model.Metric) *labelSet {
	bound, err := strconv.ParseFloat(string(metric[model.BucketLabel]), 64)
	if err != nil {
		bound = math.NaN()
	}
	return &labelSet{metric, bound}
}

func (l *labelSet) value(name model.LabelName) string { return string(l.metric[name]) }

func (a answer) typed() string {
	if a.kind == model.ValNone {
		return "nothing"
	}
	return "a " + a.kind.String()
}

// twice returns a series that comes more than once; nil: there is none.
func (a answer) twice() *labelSet {
	const few = 32
	if len(a.rows) <= few {
		for i := range a.rows {
			for _, earlier := range a.rows[:i] {
				if earlier.labelSet == a.rows[i].labelSet {
					return earlier.labelSet
				}
			}
		}
		return nil
	}
	seen := make(map[*labelSet]bool, len(a.rows))
	for _, r := range a.rows {
		if seen[r.labelSet] {
			return r.labelSet
		}
		seen[r.labelSet] = true
	}
	return nil
}
