package recording

import (
	"fmt"
	"math"
	"strings"
)

// fallback is the share of calls whose every attempt fails, by cause: all timed
// out, all erred, or some of each.
//
// derivation: a share rho of the calls meets one fate, which the first attempt
// decides. The attempts of the others are independent, so that sequences of
// failures are products. A retry budget grants all retries or none.
func (c calls) fallback() (timedOut, erred, mixed string) {
	if c.slow == 1 {
		return c.p, c.e, "0 * " + c.p
	}
	errors := product(power(c.e, c.slow-1), c.lastE())
	if c.retryOnTimeout {
		timeouts := product(power(c.p, c.slow-1), c.last)
		all := product(power(c.q(), c.slow-1), fmt.Sprintf("(%s + %s)", c.last, c.lastE()))
		timedOut = c.mix(c.p, timeouts)
		mixed = c.own(fmt.Sprintf("clamp_min(%s\n  - %s\n  - %s, 0)", all, timeouts, errors))
	} else {
		timedOut = c.p // ends the call, whatever the number of attempts
		mixed = c.own(fmt.Sprintf("(%s * (%s) + %s)", c.p, powers(c.e, c.slow-2), product(power(c.e, c.slow-1), c.last)))
	}
	erred = c.mix(c.e, errors)
	if c.share == "" {
		return timedOut, erred, mixed
	}
	granted := func(all, once string) string {
		return fmt.Sprintf("%[1]s * (%[2]s) + (1 - %[1]s) * %[3]s", c.share, all, once)
	}
	return granted(timedOut, c.p), granted(erred, c.e), fmt.Sprintf("%s * (%s)", c.share, mixed)
}

// amplification is 1 + the expected retries, which a budget bounds.
func (c calls) amplification() string {
	retries := c.expectedRetries()
	if c.budget != nil {
		retries = fmt.Sprintf("clamp_max(%s, %s)", retries, number(*c.budget))
	}
	return "1 + " + retries
}

// granted is min(1, budget ÷ retries needed).
func (c calls) granted() string {
	if *c.budget <= 0 {
		return "0 * " + c.p // 0 ÷ 0 is nothing PromQL can clamp
	}
	return fmt.Sprintf("clamp_max(%s / %s, 1)", number(*c.budget), c.expectedRetries())
}

// expectedRetries is what calls ask for. It counts every sequence of failures
// that errors at once would leave time for.
func (c calls) expectedRetries() string {
	if c.fast == 1 {
		return "(0 * " + c.p + ")"
	}
	if !c.retryOnTimeout {
		return "(" + c.mix(fmt.Sprintf("%d * %s", c.fast-1, c.e), "("+powers(c.e, c.fast-1)+")") + ")"
	}
	fate := fmt.Sprintf("(%d * %s + %d * %s)", c.timeouts-1, c.p, c.fast-1, c.e)
	return "(" + c.mix(fate, "("+powers(c.q(), c.fast-1)+")") + ")"
}

// q is the share of attempts that fail.
func (c calls) q() string { return fmt.Sprintf("(%s + %s)", c.p, c.e) }

// mix is rho·fate + (1 − rho)·own.
func (c calls) mix(fate, own string) string {
	return fmt.Sprintf("%s * %s + %s", number(c.rho), fate, c.own(own))
}

// own is (1 − rho)·x: of calls whose attempts are independent.
func (c calls) own(x string) string { return fmt.Sprintf("%s * %s", number(1-c.rho), x) }

// lastE is e of the last attempt: what its timeouts leave of it, min(e, 1 − p).
func (c calls) lastE() string {
	if c.last == c.p {
		return c.e
	}
	return fmt.Sprintf("((%[1]s + 1 - %[2]s - abs(%[1]s - 1 + %[2]s)) / 2)", c.e, c.last)
}

func product(a, b string) string {
	if a == "" {
		return b
	}
	return a + " * " + b
}

// power is x to the n, empty for n = 0.
func power(x string, n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return x
	}
	return fmt.Sprintf("%s ^ %d", x, n)
}

// powers is x + x² + … + xⁿ, the longer ones as a geometric series. That is
// short of one at x = 1, so x is held a hair below.
func powers(x string, n int) string {
	const written = 4
	if n <= 0 {
		return "0 * " + x
	}
	if n > written {
		below := fmt.Sprintf("clamp_max(%s, %s)", x, number(1-math.Exp2(-30)))
		return fmt.Sprintf("%[1]s * (1 - %[1]s ^ %[2]d) / (1 - %[1]s)", below, n)
	}
	var sum []string
	for k := 1; k <= n; k++ {
		sum = append(sum, power(x, k))
	}
	return strings.Join(sum, " + ")
}
