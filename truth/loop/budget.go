package loop

import "sync"

// tokens is a retry budget as clients keep one: every call puts in a part of a
// token and every retry takes a whole one. It starts empty.
type tokens struct {
	mu      sync.Mutex
	deposit float64 // of one call
	held    float64
}

// mostTokens bounds what quiet times can save up for a storm.
const mostTokens = 10

// newTokens returns a budget of so many retries per call, nil for none.
func newTokens(budget *float64) *tokens {
	if budget == nil {
		return nil
	}
	return &tokens{deposit: *budget}
}

// call puts in what a call is worth. A nil budget has no limit.
func (t *tokens) call() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = min(t.held+t.deposit, mostTokens)
}

// take reports whether the budget allows a retry, and pays for it.
func (t *tokens) take() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held < 1 {
		return false
	}
	t.held--
	return true
}
