package servers

import (
	"errors"
	"strings"
	"testing"
)

func TestJournalFindsTheAddressThatTheServerGot(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"Prometheus, with a first line that has the wish": {
			"time=2026-01-02T03:04:05Z level=INFO msg=\"Start listening for connections\" component=web address=127.0.0.1:0\n" +
				"time=2026-01-02T03:04:05Z level=INFO msg=\"Listening on\" component=web address=127.0.0.1:45027\n",
			"127.0.0.1:45027",
		},
		"VictoriaMetrics, which names its profiles too": {
			"info\thttpserver.go:176\tstarted server at http://127.0.0.1:40063/\n" +
				"info\thttpserver.go:178\tpprof handlers are exposed at http://127.0.0.1:40063/debug/pprof/\n",
			"127.0.0.1:40063",
		},
		"IPv6": {"msg=\"Listening on\" address=[::]:9090\n", "[::]:9090"},
		"JSON": {"{\"level\":\"INFO\",\"msg\":\"Listening on\",\"component\":\"web\",\"address\":\"127.0.0.1:9\"}\n", "127.0.0.1:9"},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(nil)
			for log := c.log; len(log) > 0; {
				n := min(5, len(log))
				if _, err := j.Write([]byte(log[:n])); err != nil {
					t.Fatal(err)
				}
				log = log[n:]
			}
			select {
			case got := <-j.address:
				if got != c.want {
					t.Errorf("address %q, want %q", got, c.want)
				}
			default:
				t.Error("no address found")
			}
		})
	}
}

func TestJournalKeepsTheEndOfALongLog(t *testing.T) {
	j := newJournal(nil)
	line := strings.Repeat("x", 99) + "\n"
	for range 1000 {
		_, _ = j.Write([]byte(line))
	}
	_, _ = j.Write([]byte("the end\n"))
	if got := j.String(); len(got) != j.end.limit || !strings.HasSuffix(got, "\nthe end\n") {
		t.Errorf("%d bytes kept, ending in %q", len(got), got[max(0, len(got)-20):])
	}
}

// broken is a writer that always fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestJournalGoesOnWhenTheCallersWriterFails(t *testing.T) {
	j := newJournal(broken{})
	if n, err := j.Write([]byte("line\n")); n != 5 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if j.String() != "line\n" {
		t.Errorf("kept %q", j.String())
	}
}
