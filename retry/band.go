package retry

// Band names how far a timeout stands above the p99 latency (docs/model.md §6).
type Band string

// Bands of timeout ÷ p99.
const (
	BandUnknown     Band = "unknown"     // no ratio to judge
	BandBelowP99    Band = "below_p99"   // below 1: fails healthy calls
	BandTight       Band = "tight"       // 1 to 1.5
	BandBetween     Band = "between"     // above 1.5, below 2
	BandComfortable Band = "comfortable" // 2 to 3
	BandLoose       Band = "loose"       // above 3, below 10
	BandTooLong     Band = "too_long"    // 10 and more: threads pile up when the callee hangs
)

// BandOf returns the band of timeout ÷ p99. A ratio that is not a number or
// negative is BandUnknown.
func BandOf(timeoutP99Ratio float64) Band {
	switch r := timeoutP99Ratio; {
	case !(r >= 0):
		return BandUnknown
	case r < 1:
		return BandBelowP99
	case r <= 1.5:
		return BandTight
	case r < 2:
		return BandBetween
	case r <= 3:
		return BandComfortable
	case r < 10:
		return BandLoose
	}
	return BandTooLong
}
