package promquery

import "sync"

// extent is how much a server holds of one histogram in one window.
type extent struct {
	series  float64 // histograms
	bounds  float64 // of each, +Inf among them; 1 for a native one
	samples float64 // per series
}

// What a series and a point take in JSON, about; a native histogram much more.
const (
	bytesPerSeries = 150
	bytesPerPoint  = 30
	nativeBuckets  = 40
)

// unseen stands in for a histogram that was never asked about.
func unseen() extent { return extent{series: 3, bounds: 15, samples: 240} }

func (s survey) extent() extent {
	bounds := float64(max(1, len(s.layout)))
	return extent{series: float64(s.series), bounds: bounds, samples: s.samples}
}

func (z extent) loaded() float64 { return z.series * z.bounds * z.samples }

func (z extent) width() float64 {
	if z.bounds == 1 {
		return nativeBuckets
	}
	return z.bounds + 1
}

func (z extent) scrapes() cost {
	return cost{samples: z.loaded() + 2*z.series*z.samples, bytes: bytesPerSeries * (z.bounds + 3)}
}

func (z extent) buckets(moments int) cost {
	return cost{samples: 2*z.loaded() + 2*z.series*z.samples, bytes: z.width() * (bytesPerSeries + bytesPerPoint*float64(moments))}
}

func (z extent) parts(les, moments int) cost {
	if les == 0 {
		return z.buckets(moments)
	}
	n := float64(les)
	return cost{samples: 2 * z.series * n * z.samples, bytes: n * (bytesPerSeries + bytesPerPoint*float64(moments))}
}

func (z extent) quantiles() cost { return cost{samples: 2 * z.loaded(), bytes: 2 * bytesPerSeries} }

func (z extent) replicas() cost {
	return cost{samples: z.loaded() + z.series*z.samples, bytes: bytesPerSeries * z.series * z.width()}
}

// sizes remembers the largest extent of the targets of each shape.
type sizes struct {
	mu      sync.Mutex
	byShape map[shape]extent
}

func (s *sizes) of(shape shape) extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if z, known := s.byShape[shape]; known {
		return z
	}
	return unseen()
}

func (s *sizes) note(shape shape, z extent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.byShape[shape]
	if z.loaded() > known.loaded() {
		s.byShape[shape] = z
	}
}
