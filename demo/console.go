package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/demo/workload"
)

// console tells a person what happens. It may be used by many at once.
type console struct {
	started time.Time
	step    int

	mu  sync.Mutex
	out io.Writer
}

func newConsole(out io.Writer) *console { return &console{out: out, started: time.Now()} }

// Write prints text as it is. A console that nobody reads any more must not
// stop the demo, so it never fails.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(p)
	return len(p), nil
}

// say prints a line.
func (c *console) say(format string, args ...any) {
	fmt.Fprintf(c, format+"\n", args...)
}

// begin announces the next step of the start.
func (c *console) begin(what string) {
	c.step++
	c.say("\n%d. %s", c.step, what)
}

// quote prints the output of another program, set off from the demo's own.
func (c *console) quote(text string) {
	fmt.Fprint(indented{c}, strings.TrimRight(text, "\n")+"\n")
}

// clock is how long the demo has been running, as [m:ss].
func (c *console) clock() string {
	seconds := int(time.Since(c.started).Seconds())
	return fmt.Sprintf("[%d:%02d]", seconds/60, seconds%60)
}

func (c *console) introduce() {
	c.say("timeout-auditor demo: a system in small, and one timeout in it that is too short.\n")
	for _, shape := range workload.Shapes() {
		c.say("   %-18s %s", shape.Dependency, shape.Shows)
	}
	c.say("\nCalls, latency, scrapes, alerts and the page are real. Only the times are short, so that\n" +
		"nobody has to wait: windows of 1m, a scrape each 1s, an audit each 5s. In production those\n" +
		"are 1h, 15s and 1m.")
}

// indented sets off each line that it is given.
type indented struct{ to io.Writer }

func (i indented) Write(p []byte) (int, error) {
	var text strings.Builder
	for line := range strings.Lines(string(p)) {
		text.WriteString("   " + line)
	}
	if _, err := io.WriteString(i.to, text.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
