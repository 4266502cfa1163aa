package report_test

import (
	"os"

	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

func Example() {
	r := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(reporttest.Dependency("search-index"), reporttest.Start, 36000, 0))
	r.Dependencies[0].Observation.Notes = nil
	if err := r.WriteText(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// DEPENDENCY    TIMEOUT  P50    P99    T/P99  FALSE TIMEOUTS      FALLBACK  ATTEMPTS/CALL  STATUS  WORST FINDING
	// search-index  250ms    100ms  247ms  1.01×  0% (0% to 0.0147%)  0.025%    1× (max 3)     ok      -
}
