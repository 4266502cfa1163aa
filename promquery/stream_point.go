package promquery

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"

	jsoniter "github.com/json-iterator/go"
	"github.com/prometheus/common/model"
)

// point reads [seconds, "number"].
func (s *stream) point() error {
	if s.iter.WhatIsNext() != jsoniter.ArrayValue || !s.iter.ReadArray() {
		return cmp.Or(s.failed(), errNoPoint)
	}
	seconds := s.iter.ReadFloat64()
	if math.Abs(seconds) > farthest {
		return fmt.Errorf("a sample at %g", seconds)
	}
	if !s.iter.ReadArray() {
		return cmp.Or(s.failed(), errNoPoint)
	}
	text, err := s.string()
	if err != nil {
		return err
	}
	number, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	if s.iter.ReadArray() {
		return errors.New("a sample of more than a time and a number")
	}
	s.points = append(s.points, point{at: model.Time(math.Round(seconds * 1000)), number: number})
	return s.failed()
}

var errNoPoint = errors.New("a sample without a time and a number")

// farthest is beyond every time in seconds that a sample can have.
const farthest = 1e12

// histogram leaves a native histogram to the library: it is read seldom, and
// has rules of its own.
func (s *stream) histogram() error {
	raw := s.iter.SkipAndReturnBytes()
	if err := s.failed(); err != nil {
		return err
	}
	var pair model.SampleHistogramPair
	err := pair.UnmarshalJSON(raw)
	s.points = append(s.points, point{at: pair.Timestamp, histogram: pair.Histogram})
	return err
}
