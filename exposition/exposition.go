package exposition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
)

// maxBytes bounds what is read: a large process exposes a few megabytes.
const maxBytes = 64 << 20

// Exposition is everything that a process exposed at one moment.
type Exposition struct {
	file     string
	protobuf bool
	samples  map[string][]sample // by metric name, suffixes included
	natives  map[string][]native
	families map[string]family // what metadata says, by the name it gives
}

// sample is one series with its value.
type sample struct {
	labels labels.Labels // without the metric's name
	value  float64
	line   int // 0 in protobuf
}

// native is one series of a native histogram.
type native struct {
	labels labels.Labels
	hist   *histogram.FloatHistogram
	broken error // why it is no histogram, which matters only where it is selected
}

// family is the metadata of one metric; lines are 0 in protobuf and where
// nothing was declared.
type family struct {
	kind, unit         string
	kindLine, unitLine int
}

// Read takes in an exposition of at most 64 MiB. The file's name only serves
// the messages. The error is an *Error, or the reader's own.
func Read(r io.Reader, file string) (*Exposition, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	e := &Exposition{file: file, samples: map[string][]sample{}, natives: map[string][]native{}, families: map[string]family{}}
	if len(data) > maxBytes {
		return nil, e.refuse("is larger than %d MiB; keep only the lines of the metric", maxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if message := notAnExposition(data); message != "" {
		return nil, e.refuse("%s", message)
	}
	read := e.readText
	if isDelimited(data) {
		e.protobuf = true
		read = e.readProtobuf
	}
	if err := read(data); err != nil {
		return nil, err
	}
	return e, nil
}

// notAnExposition recognizes what people have in such a file instead; "" is
// none of it.
func notAnExposition(data []byte) string {
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
		return "is empty; did the request for /metrics fail?"
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return "is compressed with gzip; unpack it first, or fetch it with curl --compressed"
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return "is UTF-16; save it as UTF-8"
	case text[0] == '<':
		return "is a web page and no exposition; fetch the path that Prometheus scrapes, usually /metrics"
	case json.Valid(text):
		return "is JSON and no exposition; fetch what the process serves, usually at /metrics, and not an answer of Prometheus"
	}
	return ""
}

// Histograms lists the names of all histograms, sorted.
func (e *Exposition) Histograms() []string {
	var names []string
	for name := range e.natives {
		names = append(names, name)
	}
	for name := range e.samples {
		if base, ok := strings.CutSuffix(name, "_bucket"); ok && e.families[base].kind != kindGaugeHistogram {
			names = append(names, base)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Unit returns the unit that the exposition declares for a metric, and the line
// where it does, 0 in protobuf. It is empty where none is declared: the text
// format has no units.
func (e *Exposition) Unit(metric string) (unit string, line int) {
	f := e.families[metric]
	return f.unit, f.unitLine
}

func (e *Exposition) refuse(format string, args ...any) *Error {
	return &Error{File: e.file, Message: fmt.Sprintf(format, args...)}
}
