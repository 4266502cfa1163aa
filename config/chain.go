package config

import "time"

// Chain is a way of calls under one deadline.
type Chain struct {
	Name, Caller, Owner string
	Deadline            time.Duration
	Overhead            time.Duration // per attempt
	Edge                time.Duration // what the entry itself spends
	Hops                []Hop         // called one after another

	Line int // in the file, of the chain's first key
}

// Hop is one step of a chain: a dependency, with what its callee calls in turn,
// or several hops at once.
type Hop struct {
	Dependency string // empty for a parallel group
	Nested     []Hop  // called by the dependency's callee, one after another
	Parallel   []Hop  // called at once; exclusive with the other two
}
