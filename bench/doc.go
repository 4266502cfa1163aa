// Command bench measures what an auditor of 100, 1,000 and 10,000 dependencies
// costs, and what it costs the Prometheus that it asks, and writes it to
// docs/performance.md. Run it as make bench; it takes some ten minutes.
//
// It fills a real Prometheus from an exporter whose samples carry timestamps of
// their own, so that minutes of history are scraped in seconds. Every
// dependency has a histogram of 12 buckets on 2 replicas. A cycle is then
// compared with the very same queries sent bare, and with one dependency asked
// after the other; the daemon itself runs as a process of its own while it is
// scraped.
//
// It refuses to promise: times hold for the machine they were taken on, which
// the page names. Ratios of two times taken side by side travel better, and the
// targets are stated in these.
package main
