package agent

import (
	"os"
	"runtime/debug"
)

// gcPercent is how much garbage there may be beside what is in use. A cycle makes
// a report beside the one that is shown, so half of what is in use at its end is
// garbage the moment after: Go's own 100 would let an auditor of ten thousand
// dependencies take twice that again. It costs about a tenth of a cycle's CPU.
const gcPercent = 30

// CollectEarly has garbage collected early, unless the environment's GOGC says
// how.
func CollectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
