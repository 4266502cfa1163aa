package rules

import "github.com/timeout-auditor/timeout-auditor/metric"

// recording is one recording rule of a Prometheus rule file.
type recording struct {
	Record string `yaml:"record"`
	Expr   string `yaml:"expr"`
}

// perDay records what the predictions come to in a day, so that a month of it
// can be asked for cheaply and outlives the auditor.
func perDay() []recording {
	var all []recording
	for _, record := range metric.Recorded() {
		all = append(all, recording{Record: record.Name, Expr: record.Expr + "\n"})
	}
	return all
}
