package promquery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	jsoniter "github.com/json-iterator/go"
	"github.com/prometheus/common/model"
)

// envelope is a reply of the API without its result.
type envelope struct {
	status, errorType, message string
	warnings, infos            []string
	partial                    bool // VictoriaMetrics says so in a field of its own
	answered                   bool // there was a result
}

// stream reads a reply while it comes, one series at a time: what is held is
// what the router keeps.
type stream struct {
	iter   *jsoniter.Iterator
	router *router

	// Of the series that is read.
	values [][]byte // of the labels of the tuple
	tuple  []byte
	labels []byte // the others, each name and value with tupleEnd
	points []point
	text   []byte
}

func newStream(iter *jsoniter.Iterator, r *router) *stream {
	return &stream{iter: iter, router: r, values: make([][]byte, len(r.names)), text: make([]byte, 0, 64)}
}

// readBuffer is what is held of a reply before it is taken apart.
const readBuffer = 64 << 10

// decode reads one reply into the router. A read error is returned as it is,
// any other says what is wrong with the JSON.
func decode(body io.Reader, r *router) (envelope, error) {
	source := &tapped{Reader: body}
	s := newStream(jsoniter.Parse(jsoniter.ConfigDefault, source, readBuffer), r)
	e, err := s.envelope()
	switch {
	case source.err != nil:
		return e, source.err
	case err == nil && s.iter.Error != nil && !errors.Is(s.iter.Error, io.EOF):
		err = s.iter.Error
	}
	if err != nil {
		return e, &badJSON{err}
	}
	return e, nil
}

// badJSON says that a reply is not what the API answers with.
type badJSON struct{ cause error }

func (e *badJSON) Error() string { return e.cause.Error() }

func (e *badJSON) Unwrap() error { return e.cause }

// tapped keeps the first error of a reader that is not its end.
type tapped struct {
	io.Reader
	err error
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && t.err == nil {
		t.err = err
	}
	return n, err
}

// fields calls read for each key of an object. It ends at the first error.
func (s *stream) fields(read func(key string) error) error {
	if s.iter.WhatIsNext() == jsoniter.NilValue {
		s.iter.Skip()
		return s.failed()
	}
	var failed error
	s.iter.ReadObjectCB(func(_ *jsoniter.Iterator, key string) bool {
		if failed = read(key); failed == nil {
			failed = s.failed()
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return s.failed()
}

// items calls read for each item of a list.
func (s *stream) items(read func() error) error {
	for s.iter.ReadArray() {
		if err := read(); err != nil {
			return err
		}
		if err := s.failed(); err != nil {
			return err
		}
	}
	return s.failed()
}

func (s *stream) failed() error {
	if err := s.iter.Error; err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

func (s *stream) envelope() (envelope, error) {
	var e envelope
	err := s.fields(func(key string) error {
		switch key {
		case "status":
			e.status = s.iter.ReadString()
		case "errorType":
			e.errorType = s.iter.ReadString()
		case "error":
			e.message = s.iter.ReadString()
		case "isPartial":
			e.partial = s.iter.ReadAny().ToBool()
		case "warnings":
			return s.texts(&e.warnings)
		case "infos":
			return s.texts(&e.infos)
		case "data":
			return s.data(&e)
		default:
			s.iter.Skip()
		}
		return nil
	})
	return e, err
}

func (s *stream) texts(to *[]string) error {
	return s.items(func() error {
		*to = append(*to, s.iter.ReadString())
		return nil
	})
}

// data reads the result. Should it come before its type, it is kept as it is
// until the type has come.
func (s *stream) data(e *envelope) error {
	var early []byte
	err := s.fields(func(key string) error {
		switch key {
		case "resultType":
			return s.router.begin(s.iter.ReadString())
		case "result":
			e.answered = true
			if s.router.kind == model.ValNone {
				early = s.iter.SkipAndReturnBytes()
				return nil
			}
			return s.result()
		}
		s.iter.Skip()
		return nil
	})
	if err == nil && early != nil {
		if s.router.kind == model.ValNone {
			return errors.New("a result without its type")
		}
		return newStream(jsoniter.ParseBytes(jsoniter.ConfigDefault, early), s.router).result()
	}
	return err
}

func (s *stream) result() error {
	switch s.router.kind {
	case model.ValScalar:
		s.begin()
		if err := s.point(); err != nil {
			return err
		}
		s.end()
		return nil
	case model.ValString:
		s.iter.Skip()
		return nil
	}
	return s.items(s.element)
}

// element reads one series.
func (s *stream) element() error {
	if s.iter.WhatIsNext() != jsoniter.ObjectValue {
		return errors.New("a result that is no series")
	}
	s.begin()
	if err := s.fields(s.part); err != nil {
		return err
	}
	if s.router.kind == model.ValVector && len(s.points) != 1 {
		return fmt.Errorf("an element of a vector with %d samples", len(s.points))
	}
	s.end()
	return nil
}

func (s *stream) begin() {
	s.labels, s.points = s.labels[:0], s.points[:0]
	for i := range s.values {
		s.values[i] = s.values[i][:0]
	}
}

// end hands the series on.
func (s *stream) end() {
	s.tuple = s.tuple[:0]
	for _, v := range s.values {
		s.tuple = append(append(s.tuple, v...), tupleEnd...)
	}
	if s.router.asks(s.tuple) {
		s.router.put(s.tuple, s.router.labels(s.labels, s.metric), s.points)
	}
}

func (s *stream) part(key string) error {
	vector := s.router.kind == model.ValVector
	switch {
	case key == "metric":
		return s.names()
	case key == "value" && vector:
		return s.point()
	case key == "histogram" && vector:
		return s.histogram()
	case key == "values" && !vector:
		return s.items(s.point)
	case key == "histograms" && !vector:
		return s.items(s.histogram)
	}
	s.iter.Skip()
	return nil
}

// names reads the labels of a series.
func (s *stream) names() error {
	return s.fields(func(name string) error {
		value, err := s.string()
		if i, of := s.router.names[name]; of {
			s.values[i] = append(s.values[i][:0], value...)
		} else {
			s.labels = append(append(append(append(s.labels, name...), tupleEnd...), value...), tupleEnd...)
		}
		return err
	})
}

// metric is the labels that were read last, without those of the tuple.
func (s *stream) metric() model.Metric {
	texts := strings.Split(string(s.labels), tupleEnd)
	metric := make(model.Metric, len(texts)/2)
	for i := 0; i+1 < len(texts); i += 2 {
		metric[model.LabelName(texts[i])] = model.LabelValue(texts[i+1])
	}
	return metric
}

// string reads a string that is not kept.
func (s *stream) string() ([]byte, error) {
	if s.iter.WhatIsNext() != jsoniter.StringValue {
		return []byte(s.iter.ReadString()), s.failed()
	}
	s.text = s.iter.SkipAndAppendBytes(s.text[:0])
	if err := s.failed(); err != nil {
		return nil, err
	}
	if bytes.IndexByte(s.text, '\\') < 0 {
		return s.text[1 : len(s.text)-1], nil
	}
	var unescaped string
	err := json.Unmarshal(s.text, &unescaped)
	return []byte(unescaped), err
}
