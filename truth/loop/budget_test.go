package loop

import "testing"

func TestBudgetGrantsItsShareOfRetries(t *testing.T) {
	share := .25
	budget := newTokens(&share)
	granted := 0
	for range 400 {
		budget.call()
		if budget.take() {
			granted++
		}
	}
	if granted != 100 {
		t.Errorf("granted %d retries to 400 calls, want a quarter of them", granted)
	}
}

func TestBudgetSavesOnlySoMuch(t *testing.T) {
	share := .5
	budget := newTokens(&share)
	for range 1000 {
		budget.call()
	}
	granted := 0
	for budget.take() {
		granted++
	}
	if granted != mostTokens {
		t.Errorf("granted %d retries at once, want %d", granted, mostTokens)
	}
}

func TestNoBudgetGrantsAll(t *testing.T) {
	budget := newTokens(nil)
	for range 100 {
		if !budget.take() {
			t.Fatal("refused a retry without a budget")
		}
	}
	budget.call()
}

func TestEmptyBudgetGrantsNone(t *testing.T) {
	none := 0.0
	budget := newTokens(&none)
	budget.call()
	if budget.take() {
		t.Error("granted a retry out of nothing")
	}
}
