package figure_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/figure"
)

func TestFiguresAreWrittenForPeople(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{figure.Ratio(0.0031585297), "0.316%"},
		{figure.Ratio(0), "0%"},
		{figure.Ratio(1), "100%"},
		{figure.Ratio(9.55e-8), "0.00000955%"},
		{figure.Ratio(4.33e-13), "<0.000001%"},
		{figure.Ratio(math.NaN()), "unknown"},
		{figure.Seconds(2.7456881713691173), "2.75s"},
		{figure.Seconds(0.245), "245ms"},
		{figure.Seconds(0.9999), "1s"},
		{figure.Seconds(0.00025), "250µs"},
		{figure.Seconds(0), "0s"},
		{figure.Seconds(5400), "1h30m"},
		{figure.Seconds(610), "10m10s"},
		{figure.Seconds(math.Inf(1)), "∞s"},
		{figure.Seconds(math.NaN()), "unknown"},
		{figure.Multiple(1.155), "1.16×"},
		{figure.Multiple(16), "16×"},
		{figure.Multiple(math.NaN()), "unknown"},
		{figure.Count(1263.41), "1,263"},
		{figure.Count(999.6), "1,000"},
		{figure.Count(0), "0"},
		{figure.Count(-0.2), "0"},
		{figure.Count(-1234), "-1,234"},
		{figure.Count(1e15), "1,000,000,000,000,000"},
		{figure.Count(math.Inf(1)), "unknown"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func Example() {
	fmt.Println(figure.Ratio(0.0031585), figure.Seconds(2.7457), figure.Count(1263.4))
	// Output: 0.316% 2.75s 1,263
}
