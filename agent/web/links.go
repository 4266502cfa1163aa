package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// links are the addresses that pages point to.
type links struct {
	prefix   string // before every path, as browsers see it
	runbooks string
}

func newLinks(o Options) links {
	prefix := o.LinkPrefix
	if prefix == "" {
		prefix = o.RoutePrefix
	}
	return links{prefix: strings.TrimSuffix(prefix, "/"), runbooks: o.Runbooks}
}

func (l links) dependency(name string) string { return l.named("/dependencies/", name) }

func (l links) chain(name string) string { return l.named("/chains/", name) }

// named is the page of a name. Browsers take dots for directories, escaped or
// not, so a name of dots alone travels as a parameter.
func (l links) named(directory, name string) string {
	if strings.Trim(name, ".") == "" {
		return l.prefix + directory + "?name=" + url.QueryEscape(name)
	}
	return l.prefix + directory + url.PathEscape(name)
}

func (l links) runbook(rule string) string {
	if l.runbooks == "" {
		return ""
	}
	return l.runbooks + url.PathEscape(rule) + ".md"
}

// prometheus is the server's own page for a query: as a table at its moment, or
// as a graph over its range. "" without a usable URL.
func prometheus(base string, q latency.Query, at time.Time) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	const layout = "2006-01-02 15:04:05"
	v := url.Values{"g0.expr": {q.Text()}, "g0.tab": {"1"}}
	if !q.End.IsZero() {
		at = q.End
	}
	if q.Step > 0 {
		v.Set("g0.tab", "0")
		v.Set("g0.range_input", q.End.Sub(q.Start).Round(time.Second).String())
		v.Set("g0.end_input", at.UTC().Format(layout))
	} else {
		v.Set("g0.moment_input", at.UTC().Format(layout))
	}
	link := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/graph", RawQuery: v.Encode()}
	return link.String()
}
