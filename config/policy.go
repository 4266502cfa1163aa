package config

import "time"

// attempt bounds the durations of a policy. A day is longer than any attempt
// somebody waits for, and catches 5000s that should have been 5000ms.
func attempt() span { return span{max: 24 * time.Hour, above: true, fine: true} }

// pause is like attempt, but may be 0 to switch something off.
func pause() span { return span{max: 24 * time.Hour, fine: true} }

func share() limits { return limits{max: 1} }

func policySection() field[draft] {
	return section[draft, Policy]{
		name: "policy", absent: "the defaults inside", means: "What the caller's code or mesh declares for this call.",
		example: "{timeout: 2s, retries: 2}",
		fields:  policyFields(),
		of:      func(d *draft) *Policy { return &d.Policy },
	}.field()
}

func policyFields() []field[Policy] {
	return []field[Policy]{
		{name: "timeout", kind: "duration", example: "2s",
			absent: "the call has no timeout, which is a finding",
			means:  "Timeout of each attempt. Above 0, at most 24h.",
			read:   duration(attempt(), func(p *Policy) *time.Duration { return &p.Timeout })},
		{name: "connect_timeout", kind: "duration", example: "250ms",
			absent: "none",
			means:  "Timeout of setting up a connection. Above 0, at most 24h.",
			read:   duration(attempt(), func(p *Policy) *time.Duration { return &p.ConnectTimeout })},
		{name: "deadline", kind: "duration", example: "5s",
			absent: "none",
			means:  "Limit on the whole call: all attempts and the backoff between them. Above 0, at most 24h, and more than the backoff alone takes.",
			read:   duration(attempt(), func(p *Policy) *time.Duration { return &p.Deadline })},
		{name: "deadline_propagated", kind: "boolean", initial: "false", example: "true",
			means: "Whether the callee learns the remaining deadline, as with gRPC, and gives up when it has passed.",
			read:  boolean(func(p *Policy) *bool { return &p.DeadlinePropagated })},
		{name: "retries", kind: "whole number", initial: "0", example: "2",
			means: "Attempts after the first one. 0 to 100.",
			read:  whole(limits{max: 100}, func(p *Policy) *int { return &p.Retries })},
		{name: "retry_on_timeout", kind: "boolean", initial: "true", example: "false",
			means: "Whether an attempt that timed out is retried, or only one that failed otherwise.",
			read:  boolean(func(p *Policy) *bool { return &p.RetryOnTimeout })},
		backoffSection(),
		{name: "retry_budget", kind: "number", example: "0.2",
			absent: "none, every retry is granted",
			means:  "Retries ÷ calls that a retry budget grants at most. 0 to 1.",
			read: func(v value, p *Policy) {
				if x, ok := v.number(share()); ok {
					p.RetryBudget = &x
				}
			}},
		{name: "hedge_after", kind: "duration", initial: "0s", example: "400ms",
			means: "Wait before a second, parallel attempt. 0 to 24h; 0 is no hedging. Below `timeout` and `deadline`.",
			read:  duration(pause(), func(p *Policy) *time.Duration { return &p.HedgeAfter })},
		{name: "idempotent", kind: "boolean", example: "true",
			absent: "not declared",
			means:  "Whether the call may safely be made twice.",
			read: func(v value, p *Policy) {
				if b, ok := v.boolean(); ok {
					p.Idempotent = &b
				}
			}},
		{name: "fallback", kind: "error, default or cache", initial: "error", example: "cache",
			means: "What the caller hands on when every attempt has failed.",
			read:  oneOf([]string{"error", "default", "cache"}, func(p *Policy) *string { return &p.Fallback })},
		layersField(),
	}
}

func backoffSection() field[Policy] {
	fields := []field[Backoff]{
		{name: "initial", kind: "duration", initial: "0s", example: "25ms",
			means: "Wait before the first retry. 0 to 24h.",
			read:  duration(pause(), func(b *Backoff) *time.Duration { return &b.Initial })},
		{name: "multiplier", kind: "number", initial: "2", example: "1.5",
			means: "How much longer each further wait is. 1 to 100.",
			read:  number(limits{min: 1, max: 100}, func(b *Backoff) *float64 { return &b.Multiplier })},
		{name: "max", kind: "duration", example: "250ms",
			absent: "no limit",
			means:  "The longest wait. Above 0, at most 24h, and at least `initial`.",
			read:   duration(attempt(), func(b *Backoff) *time.Duration { return &b.Max })},
		{name: "jitter", kind: "none or full", initial: "none", example: "full",
			means: "`full` draws each wait evenly between 0 and its nominal length.",
			read:  oneOf([]string{"none", "full"}, func(b *Backoff) *string { return &b.Jitter })},
	}
	return section[Policy, Backoff]{
		name: "backoff", absent: "the defaults inside", means: "Waits between attempts: before retry k, min(initial · multiplier^(k−1), max).",
		example: "{initial: 25ms, max: 250ms, jitter: full}",
		fields:  fields,
		of:      func(p *Policy) *Backoff { return &p.Backoff },
	}.field()
}
