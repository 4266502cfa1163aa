// Package loop closes the loop: it makes calls with a real HTTP client, under
// real timeouts, retries, backoff, deadlines, retry budgets and hedges, to a real
// HTTP server of known latency, and compares what becomes of them with what
// package retry predicts. It is the part of the accuracy page that does not
// share a formula with what it checks.
//
// The callee sleeps as long as a lognormal draw says and then answers, 503 for
// some. A share rho of the calls, chosen by their id, meets one fate: every
// attempt has the latency and the answer of the first draw. The other attempts
// draw anew. So docs/model.md §5 holds of the callee by construction, and what
// is put to the test is everything between that and a fallback. The caller
// follows the policy as it is declared and knows nothing of what it comes to. Its
// retry budget is a bucket of tokens that each retry asks for by itself, as
// client libraries have it, where the model grants a call all retries or none.
//
// Predictions rest on the drawn lognormal and the declared policy alone. What is
// measured is their error bars. No clock is exact: a callee oversleeps, a reply
// waits for the scheduler, a timeout fires late. Widening every interval by a
// guess would hide wrong predictions on a quick machine and fail right ones on a
// busy one. So each run measures how late its replies and its timers were, and
// predicts twice more: for latencies as much longer as replies were late, and as
// much shorter as timers were. The interval covers all three predictions, and
// around them the sampling error at 99.9%: Clopper–Pearson for shares, normal for
// means. Lateness of callees is measured on all attempts, since callees work on
// when their caller has given up; of the network only on attempts that got a
// reply. A machine on which lateness comes to a quarter of the median latency is
// too busy. All times of the policy are then taken 4 and 16 times as long, and
// after that the answer is ErrTooBusy, and no row.
//
// The median is 100 ms and not a few, so that a millisecond of lateness is 1% of
// it. Callees only sleep: more calls at once make up for the time.
//
// Draws are functions of seed, call and attempt: two runs have the same fates,
// and differ by what lateness decides and, under a budget, by who asks first.
//
// It refuses to compare where model and caller mean different things. Errors
// that take as long as replies use up a deadline that package retry has them
// leave alone, and full jitter under a deadline at times leaves room for an
// attempt that mean backoff does not. There is no policy with both a deadline
// that binds and many errors, or jitter. Hedges come without errors and retries:
// there is no prediction for both. Two differences are left in, since they are
// smaller than the sampling error of 5,000 calls: a budget asked retry by retry
// saves a few more calls at rho ½ than one that grants all or none, and errors
// with a shared fate take a little less time than the model has them take, as
// those beyond the timeout are timeouts.
package loop
