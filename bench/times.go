package main

import (
	"slices"
	"time"
)

// times are several measurements of the same.
type times []time.Duration

func (t times) median() time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[len(sorted)/2]
}
