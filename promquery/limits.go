package promquery

import "sync"

const (
	// mostMatcherBytes bounds what the values add to one selector.
	mostMatcherBytes = 128 << 10

	// mostSamples is below what Prometheus loads for one query by default, 50
	// million, since sizes are estimates.
	mostSamples = 45e6

	// leastParty is how many are asked about together before a family is divided
	// only to be asked about side by side: a server works on one query with one
	// core.
	leastParty = 500

	// replyShare of the largest reply is what one chunk is planned to fill.
	replyShare = 1.0 / 4
)

// limits is how much is asked at once. What a server refuses is remembered.
type limits struct {
	mu   sync.Mutex
	most map[alike]int // members by kind of question
}

// party is how many of n are asked about together. There are more parties than
// may be asked about at once, so that the first are read while the server works
// on the others.
func (s *sender) party(n int) int {
	parties := cap(s.slots) * 3 / 2
	return max(leastParty, (n+parties-1)/parties)
}

// load is what a question adds to a query.
type load struct {
	cost    cost
	matched int // bytes of matchers, about
}

func (q question) load() load { return load{q.cost, q.group.matcherLength()} }

// divide cuts questions that are alike into runs, at most so many in each and as
// few runs as the limits allow, and returns their lengths.
func (l *limits) divide(a alike, loads []load, most int, s *sender) []int {
	most = min(most, l.of(a))
	var (
		lengths []int
		begun   int
		sum     cost
		matched int
	)
	for i, one := range loads {
		next := sum.plus(one.cost)
		full := i-begun >= most || next.samples > mostSamples || next.bytes > replyShare*float64(s.maxSize) || matched+one.matched > mostMatcherBytes
		if i > begun && full {
			lengths = append(lengths, i-begun)
			begun, next, matched = i, one.cost, 0
		}
		sum, matched = next, matched+one.matched
	}
	return append(lengths, len(loads)-begun)
}

func (l *limits) of(a alike) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most, known := l.most[a]; known {
		return most
	}
	return int(^uint(0) >> 1)
}

// refused remembers that n members were too many.
func (l *limits) refused(q *question, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	half := max(1, n/2)
	if most, known := l.most[q.group.alike]; !known || half < most {
		l.most[q.group.alike] = half
	}
}
