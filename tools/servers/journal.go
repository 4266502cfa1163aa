package servers

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// journal takes a server's log: it passes it on, keeps its end, and looks for
// the line in which the server names the address it got.
type journal struct {
	next    io.Writer // may be nil
	listens *regexp.Regexp
	address chan string // receives the address once

	mu      sync.Mutex
	partial []byte // the line that is not finished yet
	found   bool
	end     tail
}

// newJournal makes a journal. The line to look for is the one that
// exporter-toolkit prints, as logfmt or JSON: msg="Listening on" address=HOST:PORT,
// or VictoriaMetrics's: started server at http://HOST:PORT/.
func newJournal(next io.Writer) *journal {
	return &journal{
		next:    next,
		listens: regexp.MustCompile(`(?:"Listening on".*\baddress"?[=:]"?|\bstarted server at http://)([^\s",}/]+)`),
		address: make(chan string, 1),
		end:     tail{limit: 8 << 10},
	}
}

// Write takes a piece of the log. It never fails: a caller's writer that does
// must not stop the server's log, and with it the server.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next != nil {
		_, _ = j.next.Write(p)
	}
	j.end.add(p)
	if !j.found {
		j.look(p)
	}
	return len(p), nil
}

// look searches the lines that p completes.
func (j *journal) look(p []byte) {
	j.partial = append(j.partial, p...)
	for {
		line, rest, complete := bytes.Cut(j.partial, []byte("\n"))
		if !complete {
			return
		}
		j.partial = rest
		if match := j.listens.FindSubmatch(line); match != nil {
			j.found, j.partial = true, nil
			j.address <- string(match[1])
			return
		}
	}
}

// String returns the end of the log.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end.String()
}
