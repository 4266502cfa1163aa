package nearest_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

func ExampleName() {
	fmt.Println(nearest.Name("tiemout", []string{"deadline", "retries", "timeout"}))
	// Output: timeout
}
