package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"time"

	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/report"
)

//go:embed overview.html
var files embed.FS

// overviewPage is what overview.html shows.
type overviewPage struct {
	Version string
	Prefix  string
	Report  *report.Report
	Rows    []report.Row
	Age     string
}

func (o Options) overview(w http.ResponseWriter, t *template.Template) {
	page := overviewPage{Version: o.Version, Prefix: o.RoutePrefix, Report: o.Report()}
	if page.Report != nil {
		page.Rows = page.Report.Rows()
		page.Age = figure.Seconds(o.Now().Sub(page.Report.At).Truncate(time.Second).Seconds())
	}
	var out bytes.Buffer
	err := t.Execute(&out, page)
	if err == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err = out.WriteTo(w)
	}
	if err != nil {
		o.Logger.Error("Status page not shown", "err", err)
		http.Error(w, "the status page cannot be shown, see the log", http.StatusInternalServerError)
	}
}
