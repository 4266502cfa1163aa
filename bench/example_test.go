package main

import (
	"fmt"
	"time"
)

// A promise is judged on the largest size.
func Example() {
	found := []cost{
		{n: 100, queries: 4, cycle: 50 * time.Millisecond, bare: 45 * time.Millisecond, inTurn: time.Second, known: 100},
		{n: 1000, queries: 30, cycle: 300 * time.Millisecond, bare: 270 * time.Millisecond, inTurn: 10 * time.Second, known: 1000},
	}
	for _, t := range targets(found)[:3] {
		fmt.Println(t.what, "-", t.reached, t.met)
	}
	// Output:
	// at most 24 queries per cycle - 30 false
	// cycle time ÷ the same PromQL sent bare, at most 1.15 - 1.11 true
	// one after the other ÷ cycle time, at least 10 - 33.3 true
}
