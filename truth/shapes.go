package main

const (
	narrowUnseen  = "a hump narrower than a bucket can lie anywhere in it, and the counts at the bounds are the same"
	boundedUnseen = "where the tail ends inside a bucket, the counts at the bounds do not say"
)

// shapes lists the latency distributions of the battery. Times are in units of
// about the median; the battery stretches them.
func shapes() []shape {
	return []shape{
		{name: "lognormal 0.3", about: "one mode, sigma 0.3", tail: lognormal(1, .3)},
		{name: "lognormal 0.5", about: "one mode, sigma 0.5", tail: lognormal(1, .5)},
		{name: "lognormal 0.8", about: "one mode, sigma 0.8", tail: lognormal(1, .8)},
		{name: "lognormal 1.2", about: "one mode, sigma 1.2", tail: lognormal(1, 1.2)},
		{name: "lognormal 1.5", about: "one mode, sigma 1.5", tail: lognormal(1, 1.5)},
		{name: "cache", about: "90% around 1 (sigma 0.4), 10% around 20 (0.6)",
			tail: mixed(part{.9, lognormal(1, .4)}, part{.1, lognormal(20, .6)}), hides: true},
		{name: "rare slow path", about: "98% around 1 (sigma 0.5), 2% around 16 (0.3)",
			tail: mixed(part{.98, lognormal(1, .5)}, part{.02, lognormal(16, .3)}), hides: true},
		{name: "three modes", about: "70% around 1, 25% around 8, 5% around 50 (sigma 0.4 each)",
			tail: mixed(part{.7, lognormal(1, .4)}, part{.25, lognormal(8, .4)}, part{.05, lognormal(50, .4)}), hides: true},
		{name: "narrow hump", about: "97% around 1 (sigma 0.5), 3% within a few percent of 6 (0.03)",
			tail:       mixed(part{.97, lognormal(1, .5)}, part{.03, lognormal(6, .03)}),
			unresolved: narrowUnseen, hides: true},
		{name: "shifted exponential", about: "0.3 and an exponential of mean 0.7", tail: shiftedExponential(.3, .7)},
		{name: "Pareto", about: "at least 1, exponent 2", tail: pareto(1, 2)},
		{name: "bounded Pareto", about: "exponent 1.1, from 1 to 50", tail: capped(pareto(1, 1.1), 50), unresolved: boundedUnseen},
		{name: "uniform", about: "between 0.2 and 1", tail: uniform(.2, 1), unresolved: boundedUnseen},
		{name: "capped lognormal", about: "sigma 0.8, never above 5 medians", tail: capped(lognormal(1, .8), 5), unresolved: boundedUnseen},
		lossyRPC(),
	}
}
