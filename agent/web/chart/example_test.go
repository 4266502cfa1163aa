package chart_test

import (
	"fmt"

	"github.com/timeout-auditor/timeout-auditor/agent/web/chart"
)

// A hop that takes the second quarter of its deadline.
func ExampleBar() {
	fmt.Println(chart.Bar{
		Text: chart.Text{ID: "hop", Title: "payments", Description: "250ms to 500ms of 1s"},
		From: 0.25, Long: 0.25, Deadline: 1, End: 1,
	}.SVG())
	// Output:
	// <svg class="chart bar" viewBox="0 0 400.0 18.0" role="img" aria-labelledby="hop-title" aria-describedby="hop-desc"><title id="hop-title">payments</title><desc id="hop-desc">250ms to 500ms of 1s</desc><g aria-hidden="true"><rect class="room" x="0.0" y="2.0" width="400.0" height="14.0"/><rect class="span " x="100.0" y="4.0" width="100.0" height="10.0"/><line class="deadline" x1="400.0" y1="0.0" x2="400.0" y2="18.0"/></g></svg>
}
