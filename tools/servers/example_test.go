package servers_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// A test that starts a server has the same three steps: start, use, stop.
//
//	p, err := servers.StartPrometheus(ctx, servers.PrometheusOptions{Dir: t.TempDir()})
//	if err != nil {
//		t.Fatal(err)
//	}
//	t.Cleanup(p.Stop)
func Example() {
	for _, name := range servers.Usual() {
		fmt.Println(name)
	}
	// Output:
	// prometheus
	// promtool
	// alertmanager
	// amtool
	// thanos
	// victoria-metrics
	// golangci-lint
	// helm
}
