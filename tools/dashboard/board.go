package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// row is a heading with its panels.
type row struct {
	title  string
	panels []cog.Builder[dashboard.Panel]
}

// board is the dashboard's rows from top to bottom.
func board() []row {
	return []row{
		{"Overview: $owner", overview()},
		{"Dependency: $dependency", oneDependency()},
		{"Chains: $chain", chains()},
		{"The auditor itself", itself()},
	}
}

// model1 is a dashboard of Grafana's first schema. The SDK would rather have the
// second, which the Grafana of most users can neither import nor provision.
type model1 = dashboard.Dashboard //nolint:staticcheck // deprecated by the SDK, not by Grafana

// build returns the dashboard, or the first thing that is wrong with it.
func build() (model1, error) {
	builder := dashboard.NewDashboardBuilder("Timeout auditor").Uid(uid). //nolint:staticcheck // see model1
										Description("Declared timeouts and retries against the latency that Prometheus measures. Generated: change tools/dashboard instead.").
										Tags([]string{"timeout-auditor", "timeouts", "retries"}).
										Timezone(common.TimeZoneBrowser).Time("now-24h", "now").Refresh("1m").
										Tooltip(dashboard.DashboardCursorSyncCrosshair).
										Links([]cog.Builder[dashboard.DashboardLink]{
			outside("The auditor's page", "${auditor_url}"),
			outside("Runbooks", "${runbook_url}README.md"),
		}).
		Annotations([]cog.Builder[dashboard.AnnotationQuery]{timeoutChanges()}).
		Variables(variables())
	for _, r := range board() {
		builder.WithRow(dashboard.NewRowBuilder(r.title))
		for _, panel := range r.panels {
			builder.WithPanel(panel)
		}
	}
	built, err := builder.Build()
	if err != nil {
		return model1{}, err
	}
	for i, p := range built.Panels {
		if p.RowPanel != nil {
			p.RowPanel.Id = uint32(i + 1)
		} else {
			p.Panel.Id = new(uint32(i + 1))
		}
	}
	return built, check(built)
}

func outside(title, url string) cog.Builder[dashboard.DashboardLink] {
	return dashboard.NewDashboardLinkBuilder(title).Type(dashboard.DashboardLinkTypeLink).Url(url).
		Icon("external link").TargetBlank(true)
}
