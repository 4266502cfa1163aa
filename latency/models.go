package latency

import "sync"

// Models are the distributions that follow one histogram. Each is fitted when it
// is first asked for and kept, since two components take as long as all else.
// Models may be shared by readings for other timeouts and between goroutines.
type Models struct {
	of         Histogram
	once, both sync.Once
	single     *BinnedFit
	pair       *Mixture
}

// ModelsOf returns the models of a histogram in which nothing was cut off.
func ModelsOf(h Histogram) *Models { return &Models{of: h} }

// Single returns the lognormal by maximum likelihood, nil where none exists.
func (m *Models) Single() *BinnedFit {
	m.once.Do(func() {
		if fit, err := FitBinned(m.of); err == nil {
			m.single = &fit
		}
	})
	return m.single
}

// Pair returns two lognormals where they are chosen over one and lie apart
// (docs/model.md §4), else nil.
func (m *Models) Pair() *Mixture {
	m.both.Do(func() {
		single := m.Single()
		if single == nil {
			return
		}
		pair, err := FitMixture(m.of)
		if err == nil && pair.Chosen(*single) && pair.Separated() {
			m.pair = &pair
		}
	})
	return m.pair
}
