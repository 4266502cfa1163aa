package recording

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

// leastSamples is how many calls it takes to say that no more than 1% of them
// would be cut off: with fewer, none above is no proof (docs/model.md §8).
const leastSamples = 299

// unknown stands in the place of figures that are absent: a series that is
// missing looks like nothing at all, and so like nothing to worry about.
func (s subject) unknown(src source) rulefile.Rule {
	with, one := s.matching(), "("+s.constant(1)+")"
	because := func(reason, while string) string {
		return fmt.Sprintf(`label_replace(%s %s, "reason", "%s", "", "")`, one, while, reason)
	}
	expr := because(ReasonNoData, fmt.Sprintf("unless %s (%s and %s)", with, s.read(P50), s.read(P99)))
	next := func(reason, while string) { expr += fmt.Sprintf("\nor %s %s", with, because(reason, while)) }
	if src.largest != "" {
		next(ReasonTopBucket, fmt.Sprintf("and %s %s", with, s.inTopBucket()))
		next(ReasonFirstBucket, fmt.Sprintf("and %s %s", with, s.inFirstBucket()))
	}
	next(ReasonPointMass, fmt.Sprintf("unless %s %s", with, s.read(Sigma)))
	if src.samples == "" {
		next(ReasonQuantilesOnly, "")
	} else {
		next(ReasonThinData, fmt.Sprintf("unless %s (%s >= %d)", with, s.read(Samples), leastSamples))
	}
	if !s.callScope() {
		next(ReasonErrorRatio, fmt.Sprintf("unless %s %s", with, s.read(ErrorRatio)))
		if s.hedged() {
			next(ReasonHedged, "")
		}
	}
	return s.record(Unknown, expr)
}
