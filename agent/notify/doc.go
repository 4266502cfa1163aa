// Package notify pushes what a report found to Alertmanagers, by their API v2.
// It is for those who cannot load alerting rules: its alerts have the labels of
// the generated rules, and wait as long before they fire.
//
// Every finding that stands is sent again with each report, to each
// Alertmanager, and is said to end well after the next report. What clears is
// sent as resolved a few times, so that one that is lost does no harm. What is
// sent is the newest state and no history: an Alertmanager that was away gets
// what stands now, and one that is away never delays the others.
//
// It refuses to resolve what nobody has cleared: an auditor that stops or is
// killed leaves its alerts standing for hold_for. It refuses to let one alert
// that an Alertmanager rejects take others with it.
package notify
