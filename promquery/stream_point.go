package promquery

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/prometheus/common/model"
)

// point reads [seconds, "number"].
func (s *stream) point() (model.Time, model.SampleValue, error) {
	var (
		ts model.Time
		v  float64
		i  int
	)
	err := s.items(func() error {
		i++
		switch i {
		case 1:
			seconds := s.iter.ReadFloat64()
			if math.Abs(seconds) > farthest {
				return fmt.Errorf("a sample at %g", seconds)
			}
			ts = model.Time(math.Round(seconds * 1000))
		case 2:
			var err error
			if v, err = strconv.ParseFloat(s.iter.ReadString(), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
				return err
			}
		default:
			return errors.New("a sample of more than a time and a number")
		}
		return nil
	})
	if err == nil && i != 2 {
		err = errors.New("a sample without a number")
	}
	return ts, model.SampleValue(v), err
}

// farthest is beyond every time in seconds that a sample can have.
const farthest = 1e12

// histogram leaves a native histogram to the library: it is read seldom, and
// has rules of its own.
func (s *stream) histogram(pair *model.SampleHistogramPair) error {
	raw := s.iter.SkipAndReturnBytes()
	if err := s.failed(); err != nil {
		return err
	}
	return pair.UnmarshalJSON(raw)
}
