package metrics

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/timeout-auditor/timeout-auditor/metric"
	"github.com/timeout-auditor/timeout-auditor/report"
)

// Handler serves the metrics about the dependencies and then those of a
// registry, as text.
//
// A registry holds a scrape in memory as protobuf messages before it writes the
// first byte, some hundred megabytes for ten thousand dependencies. The report
// does not change, so its families are written one after the other from it.
func (c *Collector) Handler(own prometheus.Gatherer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		families, err := own.Gather()
		if err != nil {
			http.Error(w, "gathering the auditor's own metrics: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		out := io.Writer(w)
		if acceptsGzip(r.Header) {
			w.Header().Set("Content-Encoding", "gzip")
			packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is one of its constants
			defer func() { _ = packed.Close() }()
			out = packed
		}
		text := bufio.NewWriterSize(out, 64<<10)
		defer func() { _ = text.Flush() }()
		if err := c.WriteText(text); err != nil {
			return // the scraper hung up
		}
		for _, family := range families {
			if _, err := expfmt.MetricFamilyToText(text, family); err != nil {
				return
			}
		}
	})
}

func acceptsGzip(h http.Header) bool {
	for part := range strings.SplitSeq(h.Get("Accept-Encoding"), ",") {
		coding, parameters, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" && strings.ReplaceAll(parameters, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

// WriteText writes the metrics about the dependencies in the text format,
// families by name and in each the dependencies in the report's order. The
// error is the writer's.
func (c *Collector) WriteText(w *bufio.Writer) error {
	r := c.report()
	present := map[string]bool{}
	c.visit(r, everyFamily, func(s series) { present[s.name] = true })
	rows := append(metric.PerDependency(), metric.PerChain()...)
	slices.SortFunc(rows, func(a, b metric.Desc) int { return strings.Compare(a.Name, b.Name) })
	text := newText(w)
	for _, row := range rows {
		if present[row.Name] {
			present[row.Name] = false // some are of dependencies and of chains
			c.writeFamily(r, text, row)
		}
	}
	return text.err
}

func (c *Collector) writeFamily(r *report.Report, text *text, row metric.Desc) {
	text.head(row)
	c.visit(r, row.Name, func(s series) {
		if text.err == nil {
			text.series(row, s)
		}
	})
}
