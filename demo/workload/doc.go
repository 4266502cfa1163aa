// Package workload runs real HTTP callers against real HTTP callees on this
// machine, for the demo: each call has a timeout per attempt, retries with
// backoff and a deadline, as its config.Policy declares, and is measured with
// client_golang as a service would measure itself.
//
// A Shape is one kind of call: how often it is made, how long its callee takes
// and what becomes of attempts that are cut off. Shapes lists those of the
// demo, one for each thing that latency does to timeouts. A Latency is a
// function, so a shape of your own is a few lines.
//
// Callees only sleep, so hundreds of calls a second cost next to nothing. What
// they draw is seeded. Arrival times and the scheduler are not under control,
// so two runs have the same distributions and not the same samples.
//
// It refuses to be a load generator: it does not look for the highest rate and
// drops no call when the machine is slow. Calls then pile up until their
// deadline.
package workload
