// Package audit turns one dependency and what was observed of it into an
// Assessment: the false-timeout ratio with its bounds, and what follows from it
// under the declared retries, that is fallback ratio, amplification, the bands
// of timeout to p99, and a recommended timeout.
//
// It is pure: values in, values out, no clock and no I/O. It refuses to guess:
// what the observation cannot support is absent from the Assessment, with a
// status and a reason, and is never a zero.
package audit
