package latency

// How a point estimate was found (docs/model.md §4), for people to read.
const (
	MethodCounted        = "counted at the bound"
	MethodMeasured       = "timeouts ÷ attempts as counted"
	MethodCalibrated     = "lognormal calibrated to the bounds around the timeout"
	MethodCalibratedPair = "two lognormals calibrated to the bounds around the timeout"
	MethodLocalProbit    = "lognormal through the bounds around the timeout"
	MethodCensored       = "lognormal fitted to the bins below the timeout, the rest as one open bin"
	MethodTruncated      = "lognormal fitted to the bins below the timeout, the rest unseen: an extrapolation"
	MethodConservative   = "lognormal through the bins below the timeout, as wide as they allow: an extrapolation"
)

// HeadlineTail returns the best point estimate of P(X > t) from a histogram in
// which nothing was cut off, and how it was found: the count where t is a
// bound; else a model calibrated to the neighbouring bounds, if one fits; else
// the local probit. A plain single fit is never used: it follows the bulk and
// is badly wrong about the tail of two modes.
func HeadlineTail(h Histogram, t float64) (p float64, method string) {
	return ModelsOf(h).headline(h, t)
}

func (m *Models) headline(h Histogram, t float64) (p float64, method string) {
	if !(h.Total() > 0) {
		return 0, MethodCounted
	}
	if n := h.around(t); n.index < 0 || n.aboveLower == n.aboveUpper {
		return n.aboveUpper, MethodCounted
	}
	if fit := m.Single(); fit != nil {
		if fit.Misfit.Passes() {
			if p, ok := calibrated(h, t, *fit); ok {
				return p, MethodCalibrated
			}
		}
		if pair := m.Pair(); pair != nil {
			if p, ok := calibrated(h, t, *pair); ok {
				return p, MethodCalibratedPair
			}
		}
	}
	p, _, _ = LocalProbit(h, t)
	return p, MethodLocalProbit
}
