package config

import (
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

// draft is a dependency while it is read: what is resolved once all of its
// keys are known stands beside it.
type draft struct {
	Dependency
	unit        string
	connect     connectDraft
	quantilesAt string // path of the mapping that set quantiles last; empty where none did
	template    templateDraft
	preset      *preset // nil: none
}

func dependencyFields() []field[draft] {
	return append([]field[draft]{
		{name: "name", kind: "text", example: "checkout-payments",
			absent: "required",
			means:  "The `dependency` label. Unique; at most 500 characters, none of them a control character.",
			read:   name(func(d *draft) *string { return &d.Name })},
		{name: "caller", kind: "text", example: "checkout",
			absent: "empty",
			means:  "The `caller` label.",
			read:   name(func(d *draft) *string { return &d.Caller })},
		{name: "callee", kind: "text", example: "payments",
			absent: "empty",
			means:  "The `callee` label.",
			read:   name(func(d *draft) *string { return &d.Callee })},
		{name: "owner", kind: "text", example: "team-pay",
			absent: "empty",
			means:  "The `owner` label, by which alerts reach the right team.",
			read:   name(func(d *draft) *string { return &d.Owner })},
		latencySection(),
		connectField(),
		policySection(),
		observedSection(),
		{name: "window", kind: "duration", initial: "1h", example: "6h",
			means: "How much of the past is judged. 1m to 30d.",
			read:  duration(span{min: time.Minute, max: 30 * 24 * time.Hour}, func(d *draft) *time.Duration { return &d.Window })},
		{name: "correlation", kind: "number or auto", initial: "0.5", example: "auto",
			means: "Share of calls whose attempts share one fate. 0 (independent) to 1 (the same). `auto` finds it from data and keeps the number, 0.5 or the one under `defaults`, for when data does not tell.",
			read:  readCorrelation},
		{name: "target_false_timeout_ratio", kind: "number", initial: "0.001", example: "0.0005",
			means: "False-timeout ratio to aim at. Above 0, below 0.5.",
			read:  number(limits{max: 0.5, above: true, below: true}, func(d *draft) *float64 { return &d.TargetFalseTimeoutRatio })},
		{name: "headroom", kind: "number", initial: "0.1", example: "0.25",
			means: "Share by which a recommended timeout exceeds the latency it is taken from. 0 to 10.",
			read:  number(limits{max: 10}, func(d *draft) *float64 { return &d.Headroom })},
		{name: "max_step", kind: "number", initial: "2", example: "1.5",
			means: "The most by which one recommendation multiplies or divides the declared timeout. Above 1, at most 100.",
			read:  number(limits{min: 1, max: 100, above: true}, func(d *draft) *float64 { return &d.MaxStep })},
		{name: "error_ratio", kind: "number or PromQL", initial: "0", example: "0.004",
			means: "Attempts that fail otherwise than by timeout ÷ attempts. 0 to 1, or PromQL for it.",
			read:  readErrorRatio},
		{name: "error_ratio_includes_timeouts", kind: "boolean", initial: "false", example: "true",
			means: "Whether `error_ratio` counts timeouts among the failures; the predicted ones are then subtracted.",
			read:  boolean(func(d *draft) *bool { return &d.ErrorRatioIncludesTimeouts })},
	}, templateFields()...)
}

// defaultFields are the keys of a dependency that may have a default.
func defaultFields() []field[draft] {
	fields := dependencyFields()
	find(fields, "name").read = func(v value, _ *draft) {
		v.refuse("cannot have a default: every dependency has a name of its own")
	}
	for _, key := range []string{"for_each", "overrides"} {
		find(fields, key).read = func(v value, _ *draft) {
			v.refuse("cannot have a default: it makes many dependencies of one entry")
		}
	}
	return fields
}

func readCorrelation(v value, d *draft) {
	if text, ok := v.scalar("a number from 0 to 1, or auto"); !ok {
		return
	} else if text == "auto" {
		d.Correlation.Auto = true
		return
	} else if _, isNumber := decimal(text); !isNumber {
		v.refuse("must be a number from 0 to 1, or auto%s", v.got())
		return
	}
	if x, ok := v.number(share()); ok {
		d.Correlation = Correlation{Value: x}
	}
}

// readErrorRatio takes a number that somebody quoted for one too: as PromQL it
// means the same.
func readErrorRatio(v value, d *draft) {
	text, ok := v.scalar("a number from 0 to 1, or PromQL")
	if !ok {
		return
	}
	x, isNumber := decimal(text)
	if !isNumber && v.isNumber() {
		v.refuse("must be a plain decimal number from 0 to 1, or PromQL%s", v.got())
		return
	}
	if isNumber {
		if v.within(x, share()) {
			d.ErrorRatio = ErrorRatio{Value: x}
		}
		return
	}
	query, ok := v.promql(forRatio)
	if !ok {
		return
	}
	if number, isNumber := v.parsePromQL(query).(*parser.NumberLiteral); isNumber {
		v.refuse("must be a plain decimal number from 0 to 1, or PromQL that reads a metric, got %s", show(number.String()))
		return
	}
	d.ErrorRatio = ErrorRatio{Query: query}
}

func observedSection() field[draft] {
	query := func(field func(*Observed) *string) func(value, *Observed) {
		return func(v value, o *Observed) {
			if text, ok := v.promql(forRate); ok {
				*field(o) = text
			}
		}
	}
	fields := []field[Observed]{
		{name: "attempts", kind: "PromQL", example: `'sum(rate(client_attempts_total{peer="payments"}[$window]))'`,
			absent: "taken from the histogram",
			means:  "Attempts per second.",
			read:   query(func(o *Observed) *string { return &o.Attempts })},
		{name: "timeouts", kind: "PromQL", example: `'sum(rate(client_timeouts_total{peer="payments"}[$window]))'`,
			absent: "predicted only",
			means:  "Attempts per second that timed out.",
			read:   query(func(o *Observed) *string { return &o.Timeouts })},
		{name: "retries", kind: "PromQL", example: `'sum(rate(client_retries_total{peer="payments"}[$window]))'`,
			absent: "predicted only",
			means:  "Retries per second.",
			read:   query(func(o *Observed) *string { return &o.Retries })},
		{name: "calls", kind: "PromQL", example: `'sum(rate(client_calls_total{peer="payments"}[$window]))'`,
			absent: "predicted only",
			means:  "Calls per second, each with all its attempts.",
			read:   query(func(o *Observed) *string { return &o.Calls })},
		{name: "fallbacks", kind: "PromQL", example: `'sum(rate(client_fallbacks_total{peer="payments"}[$window]))'`,
			absent: "not counted, which is a finding where a fallback is declared",
			means:  "Calls per second that ended in the fallback.",
			read:   query(func(o *Observed) *string { return &o.Fallbacks })},
	}
	return section[draft, Observed]{
		name: "observed", means: "What really happened: PromQL for rates per second, each a single value.",
		example: `{timeouts: 'sum(rate(client_timeouts_total{peer="payments"}[$window]))'}`,
		absent:  "predictions are not compared with counters",
		fields:  fields,
		of:      func(d *draft) *Observed { return &d.Observed },
	}.field()
}
