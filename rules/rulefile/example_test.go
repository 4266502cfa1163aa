package rulefile_test

import (
	"fmt"
	"os"

	"github.com/timeout-auditor/timeout-auditor/rules/rulefile"
)

func Example() {
	groups := []rulefile.Group{{
		Name:  "greetings",
		Rules: []rulefile.Rule{{Record: "planet:greetings:rate5m", Expr: "sum by (planet) (rate(greetings_total[5m]))"}},
	}}
	if err := rulefile.Write(os.Stdout, groups, rulefile.Options{Comment: "Say hello."}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # Say hello.
	// groups:
	//   - name: greetings
	//     rules:
	//       - record: planet:greetings:rate5m
	//         expr: sum by (planet) (rate(greetings_total[5m]))
}
