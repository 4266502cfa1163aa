package servers

import (
	"io"
	"strings"
	"testing"
)

func TestMeterCountsProgressAndKeepsComplaints(t *testing.T) {
	m := newMeter("prometheus", io.Discard)
	output := "go: downloading example.org/a v1.0.0\n" +
		"go: downloading example.org/b v1.0.0\n" +
		"internal/abi\n" +
		"example.org/a\n" +
		"example.org/a/b\n" +
		"# example.org/a/b\n" +
		"b.go:7:2: undefined: nonsense\n"
	// In small pieces, as a pipe may deliver it.
	for len(output) > 0 {
		n := min(7, len(output))
		if _, err := m.Write([]byte(output[:n])); err != nil {
			t.Fatal(err)
		}
		output = output[n:]
	}
	if got := m.figures(); !strings.HasSuffix(got, "2 modules downloaded, 3 packages compiled") {
		t.Errorf("figures %q", got)
	}
	if got, want := m.complaints(), "# example.org/a/b\nb.go:7:2: undefined: nonsense"; got != want {
		t.Errorf("complaints %q, want %q", got, want)
	}
}
