package servers

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// reportEvery is the time between two lines of progress.
const reportEvery = 5 * time.Second

// meter reads what go build -v prints, counts it, and reports how far the
// build is. Lines that are no progress are complaints, kept for the error.
type meter struct {
	name  string
	out   io.Writer
	begun time.Time

	mu       sync.Mutex
	partial  []byte // the line that is not finished yet
	modules  int    // downloaded
	packages int    // compiled
	other    tail
}

func newMeter(name string, out io.Writer) *meter {
	return &meter{name: name, out: out, begun: time.Now(), other: tail{limit: 4 << 10}}
}

// Write takes output of go build.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.partial = append(m.partial, p...)
	for {
		line, rest, complete := bytes.Cut(m.partial, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		m.count(string(line))
		m.partial = rest
	}
}

// count sorts one line: go build -v prints an import path alone on a line for
// each package it compiles, and "go: downloading" for each module.
func (m *meter) count(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		m.modules++
	case line != "" && !strings.ContainsAny(line, " \t#"):
		m.packages++
	default:
		m.other.add([]byte(line + "\n"))
	}
}

// complaints returns what go build said that was no progress.
func (m *meter) complaints() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.TrimSpace(m.other.String() + string(m.partial))
}

// figures returns the elapsed time and the counts so far.
func (m *meter) figures() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	elapsed := time.Since(m.begun).Round(time.Second)
	if m.modules > 0 {
		return fmt.Sprintf("%s, %d modules downloaded, %d packages compiled", elapsed, m.modules, m.packages)
	}
	return fmt.Sprintf("%s, %d packages compiled", elapsed, m.packages)
}

// start reports the figures now and then until stop is called.
func (m *meter) start() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(m.out, "%s: building, %s\n", m.name, m.figures())
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
