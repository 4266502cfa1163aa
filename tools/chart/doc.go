// Command chart writes the files under deploy that come from other files of the
// tree, so that nobody keeps two copies in step by hand:
//
//	go run ./tools/chart
//
// The chart in deploy/helm takes in the alerting rules of deploy/prometheus and
// the dashboards of deploy/grafana: a chart can hold no files from outside its
// own directory. The plain manifests in deploy/kubernetes are what helm
// template makes of the chart with the values in this directory.
//
// It refuses arguments, and removes what it wrote earlier and no longer makes.
// A test fails when a file is not what it would write.
package main
