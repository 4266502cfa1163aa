package main

// uid is the dashboard's name in a URL, which links rest on.
const uid = "timeout-auditor"

// toRow shows the dependency in the cell on this dashboard.
func toRow() link {
	return link{Title: "Show ${__value.raw} on this dashboard",
		URL: "/d/" + uid + "?${__url_time_range}&${datasource:queryparam}&${job:queryparam}&${owner:queryparam}&${caller:queryparam}" +
			"&${callee:queryparam}&${chain:queryparam}&${auditor_url:queryparam}&${runbook_url:queryparam}&var-dependency=${__value.raw:percentencode}"}
}

// toPage opens the auditor's page of the dependency or chain in the cell.
func toPage(kind string) link {
	return link{Title: "Open the auditor's page of ${__value.raw}", URL: "${auditor_url}/" + kind + "/${__value.raw:percentencode}", TargetBlank: true}
}

// toRunbook opens the page of the rule in the cell.
func toRunbook() link {
	return link{Title: "Runbook of ${__value.raw}", URL: "${runbook_url}${__value.raw:percentencode}.md", TargetBlank: true}
}
