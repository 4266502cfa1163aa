package promquery_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// forEach is a template over the labels of a histogram.
func forEach(histogram string, labels ...string) config.Template {
	return config.Template{Dependency: dependency(histogram), ForEach: labels, MaxDependencies: 100}
}

// discoversOnBackfilledData finds what there is, as Prometheus itself has it.
func discoversOnBackfilledData(t *testing.T, c *promquery.Client) {
	found := c.Discover(t.Context(), []config.Template{
		forEach("hostile_seconds", "server"), forEach("ended_seconds", "job", "nothing"),
		forEach("no_such_seconds", "job"), forEach("zoned_seconds", "job", "zone"),
	}, evening)
	values := func(d promquery.Discovery, label string) []string {
		var all []string
		for _, s := range d.Series {
			all = append(all, s[label])
		}
		slices.Sort(all)
		return all
	}
	diff(t, "hostile servers", []string{"other", hostileValue}, values(found[0], "server"))
	diff(t, "series that ended inside the window, by a label they lack", []map[string]string{{"job": "ended", "nothing": ""}}, found[1].Series)
	wantError(t, found[2].Err, promquery.KindNoData, "no series of no_such_seconds")
	diff(t, "pairs", []string{"1", "2"}, values(found[3], "zone"))

	whole := c.Observe(t.Context(), []config.Dependency{dependency("hostile_seconds")}, evening)[0]
	sum := 0.0
	for _, d := range config.Expand(nil, []config.Found{{Template: forEach("hostile_seconds", "server"), Series: found[0].Series}}) {
		r := c.Observe(t.Context(), []config.Dependency{d}, evening)[0]
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		sum += totalOf(t, r.Observation.Now)
	}
	diff(t, "calls of all dependencies found", totalOf(t, whole.Observation.Now), sum, near)
}

func TestASearchOverTooManySamplesLooksAtWhatIsAlive(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.FormValue("query"), "last_over_time") {
			failed(422, "execution", "query processing would load too many samples into memory")(w, r)
			return
		}
		vector(map[string]string{`"job":"a"`: "1"})(w, r)
	}))
	d := client(t, url, nil).Discover(t.Context(), []config.Template{forEach("h_seconds", "job")}, noon)[0]
	if d.Err != nil {
		t.Fatal(d.Err)
	}
	diff(t, "found", []map[string]string{{"job": "a"}}, d.Series)
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "only series alive now count") {
		t.Errorf("notes %q", d.Notes)
	}
}
