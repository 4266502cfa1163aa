package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// target is one promise about the figures.
type target struct {
	what, reached string
	met           bool
}

const mebibyte = 1 << 20

// targets are judged on the largest size, and growth from the one before.
func targets(found []cost) []target {
	last := found[len(found)-1]
	perDependency := last.processor / time.Duration(last.n)
	all := []target{
		{"at most 24 queries per cycle", fmt.Sprint(last.queries), last.queries <= 24},
		atMost("cycle time ÷ the same PromQL sent bare, at most 1.15", ratio(last.cycle, last.bare), 1.15),
		atLeast("one after the other ÷ cycle time, at least 10", ratio(last.inTurn, last.cycle), 10),
		{"at most 150 µs of CPU per dependency and cycle", perDependency.Round(time.Microsecond).String(), perDependency <= 150*time.Microsecond},
		{"at most 250 MiB resident while scraped", fmt.Sprintf("%d MiB", last.daemon.peak/mebibyte), last.daemon.peak <= 250*mebibyte},
		{"/metrics of at most 30 MiB", fmt.Sprintf("%.1f MiB", float64(last.exposition.bytes)/mebibyte), last.exposition.bytes <= 30*mebibyte},
		atMost("/metrics ÷ client_golang's own for as many constant metrics, at most 1.3", ratio(last.exposition.own, last.exposition.clientGolang), 1.3),
		{"every dependency has an answer", fmt.Sprint(last.known), last.known == last.n},
	}
	if len(found) > 1 {
		before := found[len(found)-2]
		limit := 1.1 * float64(last.n) / float64(before.n)
		all = append(all, atMost(fmt.Sprintf("cycle time of %d ÷ that of %d, at most %.0f", last.n, before.n, limit), ratio(last.cycle, before.cycle), limit))
	}
	return all
}

func atMost(what string, reached, limit float64) target {
	return target{what, fmt.Sprintf("%.2f", reached), reached <= limit}
}

func atLeast(what string, reached, limit float64) target {
	return target{what, fmt.Sprintf("%.1f", reached), reached >= limit}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// table shows all figures.
func table(found []cost) string {
	var b strings.Builder
	row := func(what string, cell func(cost) string) {
		b.WriteString("| " + what + " |")
		for _, c := range found {
			b.WriteString(" " + cell(c) + " |")
		}
		b.WriteString("\n")
	}
	row("dependencies", func(c cost) string { return fmt.Sprint(c.n) })
	b.WriteString("| --- |" + strings.Repeat(" ---: |", len(found)) + "\n")
	row("queries per cycle", func(c cost) string { return fmt.Sprint(c.queries) })
	row("cycle", func(c cost) string { return rounded(c.cycle) })
	row("cycle ÷ same PromQL sent bare", func(c cost) string { return fmt.Sprintf("%.2f", ratio(c.cycle, c.bare)) })
	row("one after the other ÷ cycle", func(c cost) string { return fmt.Sprintf("%.1f", ratio(c.inTurn, c.cycle)) })
	row(fmt.Sprintf("one by one, %d at once ÷ cycle", concurrency), func(c cost) string { return fmt.Sprintf("%.1f", ratio(c.alone, c.cycle)) })
	row("CPU of Prometheus per cycle", func(c cost) string { return rounded(c.server) })
	row("CPU of Prometheus one by one ÷ cycle", func(c cost) string { return fmt.Sprintf("%.1f", ratio(c.serverOne, c.server)) })
	row("CPU per dependency and cycle", func(c cost) string { return (c.processor / time.Duration(c.n)).Round(time.Microsecond).String() })
	row("peak resident memory of the daemon", func(c cost) string { return fmt.Sprintf("%d MiB", c.daemon.peak/mebibyte) })
	row("/metrics", func(c cost) string { return fmt.Sprintf("%.1f MiB", float64(c.exposition.bytes)/mebibyte) })
	row("series on /metrics", func(c cost) string { return fmt.Sprint(c.exposition.series) })
	row("/metrics ÷ client_golang's own", func(c cost) string { return fmt.Sprintf("%.2f", ratio(c.exposition.own, c.exposition.clientGolang)) })
	row("answered", func(c cost) string { return fmt.Sprint(c.known) })
	return b.String()
}

func rounded(d time.Duration) string {
	if d >= time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

func render(found []cost) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Performance

Written by `+"`make bench`"+` on %d cores (%s/%s, %s). Every dependency has a classic histogram of %d buckets on %d replicas, a window of %s with a sample every %s, and %d queries at most are in flight. Times depend on the machine; the ratios are of times taken side by side.

%s
`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), len(bounds()), replicas, window, step, concurrency, table(found))
	b.WriteString("## Targets\n\n| target | reached | |\n| --- | ---: | --- |\n")
	for _, t := range targets(found) {
		verdict := "met"
		if !t.met {
			verdict = "**not met**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.what, t.reached, verdict)
	}
	b.WriteString(`
## How

- A cycle is a median of ` + fmt.Sprint(rounds) + `: queries, decoding, fits, verdicts and the report. CPU is of the whole process, garbage collection included.
- Bare: the requests of a cycle, recorded on the wire, sent again as many at once, and the answers thrown away.
- One after the other: ` + fmt.Sprint(sampled) + ` dependencies asked each by itself in turn, as a script asks, scaled up to all. Below it the same with as many at once as in a cycle.
- The daemon is the binary in a process of its own, with a cycle every 10 s, scraped every second.
`)
	return b.String()
}
