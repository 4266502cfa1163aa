package notify

import (
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

// word is an alert by a letter: its name, its severity, and what is new of it.
func word(name string, severity rules.Severity, text string) Alert {
	return Alert{key: name, severity: severity, GeneratorURL: text}
}

func gone(name string) Alert { return Alert{key: name, severity: rules.Critical, resolved: true} }

func rest(q *queue) string {
	var all []string
	for _, a := range q.take(100) {
		all = append(all, a.key+a.GeneratorURL)
	}
	return strings.Join(all, " ")
}

func TestQueueHoldsTheNewestWordOnEachAlertTheMostUrgentFirst(t *testing.T) {
	q := newQueue(10)
	q.put([]Alert{word("a", rules.Info, "1"), word("b", rules.Critical, "1"), gone("g")})
	q.put([]Alert{word("a", rules.Info, "2"), word("c", rules.Critical, "1"), word("d", rules.Warning, "1")})
	if got, want := rest(q), "b1 c1 d1 a2 g"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if q.length() != 0 {
		t.Errorf("%d are left after all were taken", q.length())
	}
}

func TestWhatComesBackUndeliveredDoesNotReplaceNewerWord(t *testing.T) {
	q := newQueue(10)
	q.put([]Alert{word("a", rules.Critical, "1"), word("b", rules.Critical, "1")})
	batch := q.take(2)
	q.put([]Alert{word("a", rules.Critical, "2")})
	q.putBack(batch)
	if got, want := rest(q), "a2 b1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFullQueueDropsTheLeastSevere(t *testing.T) {
	q := newQueue(2)
	if n := q.put([]Alert{gone("g"), word("i", rules.Info, "")}); n != 0 {
		t.Errorf("%d dropped while there is room", n)
	}
	if n := q.put([]Alert{word("c", rules.Critical, ""), word("w", rules.Warning, ""), word("c", rules.Critical, "2")}); n != 2 {
		t.Errorf("%d dropped, want the 2 beyond the capacity", n)
	}
	if got, want := rest(q), "c2 w"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
