// Command truth draws histograms from latency distributions that are known
// exactly, has package latency read them, and writes how far off it was to
// docs/accuracy.md. Run it as make truth; it takes several minutes.
//
// It has four parts. The battery compares three estimates of P(X > timeout)
// with the truth: the two-quantile lognormal, the single maximum-likelihood
// lognormal and the headline. The watch looks every minute at rolling windows,
// as the daemon does, and counts false findings, flips and missed ones. The
// censoring part cuts every histogram off at the timeout in each way that
// clients do, and counts wrong verdicts under latency.timeouts: auto. The loop,
// a package of its own, makes real calls under real policies and compares them
// with the retry model.
//
// Every figure but those of the loop comes from a seeded generator, so two runs
// write the same page but for that section. A test draws some rows again and
// compares them with the page: a change to package latency that moves a figure
// fails until the page has been made again.
//
// It refuses to tune: no threshold of the product is set here, and no case is
// left out without the page saying which and why. It draws histograms, not
// scraped samples: what scraping adds, its live test shows against a real
// Prometheus.
package main
