package latency

// Scheme says how a histogram's bins were laid out, and with that how
// Prometheus interpolates inside one.
type Scheme string

const (
	Classic     Scheme = "classic" // le buckets: linear
	Exponential Scheme = "native"  // native buckets: logarithmic, linear in the zero bucket
	Custom      Scheme = "custom"  // native with custom bounds: linear
)

// Histogram holds counts over bins of latency.
type Histogram struct {
	Scheme Scheme
	Bins   []Bin    // ascending and disjoint; native ones may leave gaps, which hold nothing
	Sum    *float64 // the sum of all observed values in seconds; nil when not known
}

// Bin counts the values in (Lower, Upper], in seconds. The first classic bin
// has Lower 0 when Upper is above 0, and the last has Upper +Inf. Counts may be
// fractional, as increase() makes them.
type Bin struct {
	Lower, Upper, Count float64
}
