package promquery_test

import (
	"bufio"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// A reply of 50 MB about series with labels that nobody asked about is read in
// the memory of what was asked.
func TestLargeReplyIsReadInBoundedMemory(t *testing.T) {
	const size, most = 50 << 20, 4 << 20
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var grown int64
	large := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.FormValue("query"), "classic samples") {
			fake{}.ServeHTTP(w, r)
			return
		}
		before := heap()
		w.Header().Set("Content-Type", "application/json")
		out := bufio.NewWriter(w)
		_, _ = out.WriteString(`{"status":"success","data":{"resultType":"vector","result":[`)
		for i, written := 0, 0; written < size; i++ {
			n, _ := fmt.Fprintf(out, `{"metric":{"peer":"nobody-%d","never_seen_%d":"x","stat":"classic layout","le":"%d"},"value":[1714564800,"1"]},`, i, i, i)
			written += n
		}
		for _, peer := range []string{"a", "b"} {
			_, _ = fmt.Fprintf(out, `{"metric":{"peer":%q,"stat":"classic samples"},"value":[1714564800,"240"]},{"metric":{"peer":%q,"stat":"classic series"},"value":[1714564800,"3"]},`, peer, peer)
		}
		_ = out.Flush()
		grown = int64(heap()) - int64(before)
		_, _ = w.Write([]byte(`{"metric":{"peer":"nobody"},"value":[1714564800,"1"]}]}}`))
	})
	deps := []config.Dependency{selecting(dependency("a_seconds"), matcher("peer", "a")), selecting(dependency("a_seconds"), matcher("peer", "b"))}
	for _, r := range client(t, serve(t, large), nil).Observe(t.Context(), deps, noon) {
		if len(r.Observation.Queries) < 2 {
			t.Errorf("the large reply was not read: %v", r.Err)
		}
	}
	if grown > most {
		t.Errorf("%d MiB more are held at the end of a reply of %d MiB, want %d at most", grown>>20, size>>20, most>>20)
	}
}
