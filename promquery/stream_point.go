package promquery

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/prometheus/common/model"
)

// point reads [seconds, "number"].
func (s *stream) point() error {
	var (
		p point
		i int
	)
	err := s.items(func() error {
		i++
		switch i {
		case 1:
			seconds := s.iter.ReadFloat64()
			if math.Abs(seconds) > farthest {
				return fmt.Errorf("a sample at %g", seconds)
			}
			p.at = model.Time(math.Round(seconds * 1000))
		case 2:
			text, err := s.string()
			if err != nil {
				return err
			}
			if p.number, err = strconv.ParseFloat(string(text), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
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
	s.points = append(s.points, p)
	return err
}

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
