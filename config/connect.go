package config

// connectDraft is the histogram of connecting while it is read.
type connectDraft struct {
	Latency
	unit string
	set  bool
}

func connectField() field[draft] {
	return field[draft]{
		name: "connect", kind: "mapping", absent: "connecting is not measured", example: "{histogram: http_client_connect_duration_seconds}",
		means: "The histogram that measures setting up a connection, judged against `policy.connect_timeout`, which it needs.",
		read: func(v value, d *draft) {
			d.connect.set = readMapping(v, connectFields(), &d.connect)
		},
		fill: func(d *draft) { fillInitial(connectFields(), &d.connect) },
		keys: func() []keyInfo { return describe(connectFields()) },
	}
}

func connectFields() []field[connectDraft] {
	return []field[connectDraft]{
		{name: "histogram", kind: "metric name", absent: "required", example: "http_client_connect_duration_seconds",
			means: "Base name of the histogram, without `_bucket`, `_count` or `_sum`.",
			read: func(v value, c *connectDraft) {
				if name, ok := v.histogram(); ok {
					c.Histogram = name
				}
			}},
		{name: "selector", kind: "PromQL matchers", absent: "every series of that name", example: `'{job="checkout"}'`,
			means: "Label matchers in braces, in quotes, as under `latency`.",
			read: func(v value, c *connectDraft) {
				if matchers, ok := v.selector(); ok {
					c.Matchers = matchers
				}
			}},
		{name: "kind", kind: "auto, classic or native", initial: "auto", example: "classic",
			means: "Which form of the histogram to read.",
			read:  oneOf([]string{"auto", "classic", "native"}, func(c *connectDraft) *string { return &c.Kind })},
		{name: "unit", kind: "auto, seconds or milliseconds", initial: "auto", example: "milliseconds",
			means: "What the histogram counts in; `auto` goes by its name.",
			read:  oneOf([]string{"auto", "seconds", "milliseconds"}, func(c *connectDraft) *string { return &c.unit })},
		{name: "timeouts", kind: "auto, recorded, dropped or uncensored", initial: "auto", example: "dropped",
			means: "What becomes of a connection that is given up, as under `latency`.",
			read:  oneOf([]string{"auto", "recorded", "dropped", "uncensored"}, func(c *connectDraft) *string { return &c.Timeouts })},
	}
}

// settleConnect makes the connect histogram part of the dependency, once all
// keys are known.
func (s scope) settleConnect(d *draft) {
	c := d.connect
	if !c.set {
		return
	}
	if c.Histogram == "" {
		s.conflict([]string{"connect"}, "needs histogram, a name such as http_client_connect_duration_seconds")
		return
	}
	if d.Policy.ConnectTimeout == 0 {
		s.conflict([]string{"connect"}, "needs policy.connect_timeout to be judged against, and it is not set")
	}
	scale, err := unitScale(c.unit, c.Histogram)
	if err != nil {
		s.conflict([]string{"connect.histogram", "connect.unit"}, "unit auto does not fit %s: %s; name the unit if the name is wrong", show(c.Histogram), err)
	}
	l := c.Latency
	l.UnitScale, l.Scope = scale, "attempt"
	d.Connect = &l
}
