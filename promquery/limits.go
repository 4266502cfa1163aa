package promquery

import "sync"

const (
	// mostMatcherBytes bounds what the values add to one selector.
	mostMatcherBytes = 128 << 10

	// mostSamples is below what Prometheus loads for one query by default, 50
	// million, since sizes are estimates.
	mostSamples = 45e6

	// leastChunk is how many members a query has before a group is divided only
	// to be asked side by side: a server works on one query with one core.
	leastChunk = 500

	// replyShare of the largest reply is what one chunk is planned to fill.
	replyShare = 1.0 / 4
)

// limits is how much is asked at once. What a server refuses is remembered.
type limits struct {
	mu   sync.Mutex
	most map[string]int // members by kind of question
}

// divide cuts members into chunks, as few as the limits allow, and as many as
// may be asked at once where there are enough members.
func (l *limits) divide(members []*member, s *sender) [][]*member {
	most := min(l.of(members[0].question), max(leastChunk, (len(members)+cap(s.slots)-1)/cap(s.slots)))
	var (
		chunks  [][]*member
		begun   int
		sum     cost
		matched int
	)
	for i, m := range members {
		next := sum.plus(m.question.cost)
		length := m.question.group.matcherLength()
		full := i-begun >= most || next.samples > mostSamples || next.bytes > replyShare*float64(s.maxSize) || matched+length > mostMatcherBytes
		if i > begun && full {
			chunks = append(chunks, members[begun:i])
			begun, next, matched = i, m.question.cost, 0
		}
		sum, matched = next, matched+length
	}
	return append(chunks, members[begun:])
}

func (l *limits) of(q question) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most, known := l.most[q.group.key]; known {
		return most
	}
	return int(^uint(0) >> 1)
}

// refused remembers that n members were too many.
func (l *limits) refused(q question, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	half := max(1, n/2)
	if most, known := l.most[q.group.key]; !known || half < most {
		l.most[q.group.key] = half
	}
}
