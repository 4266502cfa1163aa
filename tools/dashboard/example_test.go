package main

import "fmt"

func Example() {
	for _, row := range board() {
		fmt.Printf("%s: %d panels\n", row.title, len(row.panels))
	}
	// Output:
	// Overview: $owner: 7 panels
	// Dependency: $dependency: 18 panels
	// Chains: $chain: 3 panels
	// The auditor itself: 11 panels
}
