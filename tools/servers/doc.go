// Package servers gives tests and the demo real servers: Prometheus,
// Alertmanager and their command line tools, Thanos, VictoriaMetrics, Helm, a
// Kubernetes API server with etcd and kubectl, and the pinned linter, built from
// source through the Go module proxy. Go and git are all a machine needs.
//
// Each server is pinned by a module of its own under tools (tools/prometheus
// and so on), because the servers' requirements conflict with each other and
// with the product's. Binaries live outside the checkout, in
//
//	${XDG_CACHE_HOME:-$HOME/.cache}/timeout-auditor/MODULE-KEY/NAME
//
// where KEY is a hash of the module's go.mod and go.sum, the build flags, the
// platform and the Go version, so a changed pin is a miss and never a stale
// binary. A first build takes minutes: run
//
//	go run ./tools/build
//
// before the tests, as make test does, or the first test that needs a server
// pays for it within its own test timeout.
//
// The package finds the tools directory from its own source file, or above the
// working directory when it was compiled with -trimpath. A binary alone, away
// from the checkout, can not build servers.
//
// A server listens on a free loopback port, which is read from its log, so
// servers can run side by side. On Linux the kernel kills it when the parent
// dies, however that happens. Elsewhere it stays in the parent's process
// group, so an interrupt from the terminal reaches it, but a parent that is
// killed leaves it running.
//
// The package refuses to guess: a server that does not start is an error that
// carries the end of the server's log, and a listen address that never shows
// up there (a log level above info hides it) is one too.
package servers
