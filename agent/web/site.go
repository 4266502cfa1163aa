package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/timeout-auditor/timeout-auditor/report"
)

//go:embed templates
var templateFiles embed.FS

// site is the pages and what they are made of.
type site struct {
	Options
	links     links
	assets    assets
	templates *template.Template
	index     atomic.Pointer[index] // of the newest report that was asked for
}

func newSite(o Options) *site {
	s := &site{Options: o, links: newLinks(o), assets: loadAssets()}
	s.templates = template.Must(template.New("").Funcs(s.functions()).ParseFS(templateFiles, "templates/*.html"))
	return s
}

// page is what every page shows around its own content.
type page struct {
	Title   string
	Section string // of the navigation: overview, calculators
	Version string
	Now     time.Time
	Report  *report.Report // nil before the first cycle has ended
	Stale   bool           // the report is older than stale_after: cycles have stopped
	Refused string         // why the newest configuration is not in force; empty: it is
}

func (s *site) page(title, section string) page {
	p := page{Title: title, Section: section, Version: s.Version, Now: s.Now(), Report: s.Report()}
	p.Stale = p.Report != nil && p.Report.StaleAfter > 0 && p.Now.Sub(p.Report.At) > p.Report.StaleAfter
	if s.Options.Refused == nil {
		return p
	}
	if err := s.Options.Refused(); err != nil {
		p.Refused = err.Error()
	}
	return p
}

// show renders a page whole before a byte of it is sent, and reports whether
// there is one.
func (s *site) show(w http.ResponseWriter, name string, data any) bool {
	return s.showStatus(w, http.StatusOK, shown{name, data})
}

// shown is a template and what it shows.
type shown struct {
	name string
	data any
}

func (s *site) showStatus(w http.ResponseWriter, status int, what shown) bool {
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, what.name, what.data); err != nil {
		s.Logger.Error("Page not shown", "page", what.name, "err", err)
		http.Error(w, "this page cannot be shown, see the log", http.StatusInternalServerError)
		return false
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	s.send(w, out.Bytes())
	return true
}

func (s *site) send(w http.ResponseWriter, out []byte) {
	if _, err := w.Write(out); err != nil {
		s.Logger.Debug("Page not sent whole", "err", err)
	}
}

// notFoundPage says which name is not in the report.
type notFoundPage struct {
	page
	What, Name string
}

func (s *site) notFound(w http.ResponseWriter, what, name string) {
	p := notFoundPage{page: s.page("Not found", ""), What: what, Name: name}
	s.showStatus(w, http.StatusNotFound, shown{"notfound.html", p})
}

// nameOf is the name that a request is about, and whether the path has one.
func nameOf(r *http.Request) string {
	if name := r.PathValue("name"); name != "" {
		return name
	}
	return r.URL.Query().Get("name")
}
