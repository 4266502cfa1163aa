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
	because := func(reason, while string) string {
		return fmt.Sprintf(`label_replace(vector(1) %s, "reason", "%s", "", "")`, while, reason)
	}
	expr := because(ReasonNoData, fmt.Sprintf("unless on () (%s and %s)", s.read(P50), s.read(P99)))
	next := func(reason, while string) { expr += "\nor on () " + because(reason, while) }
	if src.largest != "" {
		next(ReasonTopBucket, "and on () "+s.inTopBucket())
		next(ReasonFirstBucket, "and on () "+s.inFirstBucket())
	}
	next(ReasonPointMass, "unless on () "+s.read(Sigma))
	if src.samples == "" {
		next(ReasonQuantilesOnly, "")
	} else {
		next(ReasonThinData, fmt.Sprintf("unless on () (%s >= %d)", s.read(Samples), leastSamples))
	}
	if !s.callScope() {
		next(ReasonErrorRatio, "unless on () "+s.read(ErrorRatio))
		if s.hedged() {
			next(ReasonHedged, "")
		}
	}
	return s.record(Unknown, expr)
}
