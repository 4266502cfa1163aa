package exposition

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The kinds of metric that decide what a histogram is not.
const (
	kindHistogram      = "histogram"
	kindGaugeHistogram = "gaugehistogram"
	kindSummary        = "summary"
)

// kinds lists what the formats let a TYPE line say.
func kinds() []string {
	return []string{
		"counter", "gauge", kindHistogram, kindSummary, "untyped",
		"unknown", kindGaugeHistogram, "stateset", "info",
	}
}

// readText reads the text format and OpenMetrics alike: what they have of
// histograms differs only in exemplars and in # EOF.
func (e *Exposition) readText(data []byte) error {
	end := 0
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		text := string(bytes.Trim(line, " \t\r"))
		var err error
		switch {
		case text == "":
			continue
		case end > 0:
			err = fmt.Errorf("stands after the # EOF of line %d; keep one exposition in the file", end)
		case !utf8.ValidString(text):
			err = errors.New("is not UTF-8; of binary formats only length-delimited protobuf is read")
		case text == "# EOF":
			end = number
		case text[0] == '#':
			err = e.readMetadata(text, number)
		default:
			err = e.readSample(text, number)
		}
		if err != nil {
			return &Error{File: e.file, Line: number, Message: err.Error(), Err: err}
		}
	}
	return nil
}

// readMetadata reads a TYPE or UNIT line; other lines that begin with # say
// nothing about counts.
func (e *Exposition) readMetadata(text string, number int) error {
	c := cursor{text: text[1:]}
	c.skipBlank()
	what := c.until(" \t")
	if what != "TYPE" && what != "UNIT" {
		return nil
	}
	c.skipBlank()
	name, err := c.metricName()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	c.skipBlank()
	value := c.rest()
	f := e.families[name]
	switch {
	case what == "UNIT":
		f.unit, f.unitLine = value, number
	case !slices.Contains(kinds(), value):
		return fmt.Errorf("TYPE of %s must be one of %s, got %s", name, strings.Join(kinds(), ", "), shown(value))
	case f.kind != "" && f.kind != value:
		return fmt.Errorf("TYPE of %s is %s here and %s on line %d; keep one", name, value, f.kind, f.kindLine)
	default:
		f.kind, f.kindLine = value, number
	}
	e.families[name] = f
	return nil
}

func (e *Exposition) readSample(text string, number int) error {
	c := cursor{text: text}
	name, s, err := c.sample()
	if err != nil {
		return err
	}
	s.line = number
	e.samples[name] = append(e.samples[name], s)
	return nil
}
