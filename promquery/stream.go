package promquery

import (
	"errors"
	"io"

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
	key    []byte
	metric int // labels of the last series: the next has as many
}

// readBuffer is what is held of a reply before it is taken apart.
const readBuffer = 64 << 10

// decode reads one reply into the router. A read error is returned as it is,
// any other says what is wrong with the JSON.
func decode(body io.Reader, r *router) (envelope, error) {
	source := &tapped{Reader: body}
	s := &stream{iter: jsoniter.Parse(jsoniter.ConfigDefault, source, readBuffer), router: r}
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
	var failed error
	s.iter.ReadArrayCB(func(*jsoniter.Iterator) bool {
		if failed = read(); failed == nil {
			failed = s.failed()
		}
		return failed == nil
	})
	if failed != nil {
		return failed
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
		later := &stream{iter: jsoniter.ParseBytes(jsoniter.ConfigDefault, early), router: s.router}
		return later.result()
	}
	return err
}

func (s *stream) result() error {
	switch s.router.kind {
	case model.ValScalar:
		ts, v, err := s.point()
		s.router.alone = &model.Scalar{Timestamp: ts, Value: v}
		return err
	case model.ValString:
		s.iter.Skip()
		s.router.alone = &model.String{}
		return nil
	}
	return s.items(s.element)
}

// element reads one series.
func (s *stream) element() error {
	if s.iter.WhatIsNext() != jsoniter.ObjectValue {
		return errors.New("a result that is no series")
	}
	e := element{metric: make(model.Metric, s.metric), values: make([]string, len(s.router.names))}
	if s.router.kind == model.ValMatrix {
		e.stream = &model.SampleStream{}
	} else {
		e.sample = &model.Sample{}
	}
	if err := s.fields(func(key string) error { return s.part(&e, key) }); err != nil {
		return err
	}
	s.metric = len(e.metric)
	if e.stream != nil {
		e.stream.Metric = e.metric
	} else {
		e.sample.Metric = e.metric
	}
	s.key = s.router.put(e, s.key)
	return nil
}

func (s *stream) part(e *element, key string) error {
	switch {
	case key == "metric":
		return s.labels(e)
	case key == "value" && e.sample != nil:
		var err error
		e.sample.Timestamp, e.sample.Value, err = s.point()
		return err
	case key == "histogram" && e.sample != nil:
		var pair model.SampleHistogramPair
		err := s.histogram(&pair)
		e.sample.Timestamp, e.sample.Histogram = pair.Timestamp, pair.Histogram
		return err
	case key == "values" && e.stream != nil:
		return s.items(func() error {
			ts, v, err := s.point()
			e.stream.Values = append(e.stream.Values, model.SamplePair{Timestamp: ts, Value: v})
			return err
		})
	case key == "histograms" && e.stream != nil:
		return s.items(func() error {
			var pair model.SampleHistogramPair
			err := s.histogram(&pair)
			e.stream.Histograms = append(e.stream.Histograms, pair)
			return err
		})
	}
	s.iter.Skip()
	return nil
}

func (s *stream) labels(e *element) error {
	return s.fields(func(name string) error {
		value := s.iter.ReadString()
		if i, of := s.router.names[name]; of {
			e.values[i] = value
		} else {
			e.metric[model.LabelName(name)] = model.LabelValue(value)
		}
		return nil
	})
}
