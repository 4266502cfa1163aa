// Package agent runs audit cycles: once for a command, or on a schedule for the
// daemon, with the configuration reloaded in between. It is the only room that
// knows about time. It refuses to overlap cycles, and to give up a running
// configuration for one that does not load.
package agent
