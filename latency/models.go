package latency

import "sync"

// Models are the distributions that follow one histogram. Each is fitted when it
// is first asked for and kept, since two components take as long as all else.
// Models may be shared by readings for other timeouts and between goroutines.
type Models struct {
	single func() *BinnedFit
	pair   func() *Mixture
}

// ModelsOf returns the models of a histogram in which nothing was cut off.
func ModelsOf(h Histogram) *Models {
	m := &Models{}
	m.single = sync.OnceValue(func() *BinnedFit {
		fit, err := FitBinned(h)
		if err != nil {
			return nil
		}
		return &fit
	})
	m.pair = sync.OnceValue(func() *Mixture {
		single := m.single()
		if single == nil {
			return nil
		}
		pair, err := FitMixture(h)
		if err != nil || !pair.Chosen(*single) || !pair.Separated() {
			return nil
		}
		return &pair
	})
	return m
}

// Single returns the lognormal by maximum likelihood, nil where none exists.
func (m *Models) Single() *BinnedFit { return m.single() }

// Pair returns two lognormals where they are chosen over one and lie apart
// (docs/model.md §4), else nil.
func (m *Models) Pair() *Mixture { return m.pair() }
