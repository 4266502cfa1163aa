// Command demo shows timeout-auditor at work on a system that is real in all
// but size: HTTP callers and callees with timeouts and retries, a Prometheus
// that scrapes them, an Alertmanager that notifies, and the auditor as a user
// runs it, through its command line and its configuration file.
//
//	go run ./demo
//
// builds the servers at first (see tools/servers), starts everything on free
// loopback ports, prints the report as it fills and each alert as it arrives,
// and leaves all pages up until Ctrl-C. Then nothing is left behind.
//
//	go run ./demo --once
//
// ends by itself with exit code 0 when the page for the timeout that is too
// short has arrived, and none for one that is comfortable or can not be judged.
// It exits with 1 when that does not happen in time, or when anything fails,
// with the reason and the end of the log that has to do with it. Wrong usage is
// exit code 2.
//
//	go run ./demo --screenshots DIR
//
// does the same, looks on for three minutes, and leaves pictures of the pages in
// a directory.
//
// It refuses to fake: no sample is made up and no alert is sent but by
// Prometheus. Only the times are short, and it says so.
package main
