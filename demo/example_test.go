package main

import (
	"context"
	"fmt"
	"os"
)

// The demo is a program: what it can be told is on its command line.
func Example() {
	code := run(context.Background(), []string{"--twice"}, os.Stdout, os.Stdout)
	fmt.Println("exit code", code)
	// Output:
	// demo: unknown long flag '--twice', try --help
	// exit code 2
}
