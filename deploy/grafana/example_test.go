package grafana_test

import (
	"encoding/json"
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/deploy/grafana"
)

func ExampleDashboard() {
	text, err := grafana.Dashboard(grafana.Options{AuditorURL: "https://timeouts.example.com/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var dashboard struct {
		Title      string
		Templating struct {
			List []struct {
				Name, Type string
				Current    struct{ Value any }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dashboard.Title)
	for _, variable := range dashboard.Templating.List {
		if variable.Type == "textbox" {
			fmt.Println(variable.Name, variable.Current.Value)
		}
	}
	// Output:
	// Timeout auditor
	// auditor_url https://timeouts.example.com
	// runbook_url https://github.com/timeout-auditor/timeout-auditor/blob/main/docs/runbooks/
}
