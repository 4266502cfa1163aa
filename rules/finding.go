package rules

import "time"

// Severity says how loudly a finding speaks.
type Severity string

const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
	Off      Severity = "off" // the rule is not judged
)

// Compare is negative when s is less severe than other, 0 when both are equal.
func (s Severity) Compare(other Severity) int { return s.rank() - other.rank() }

// AtLeast reports whether s is as severe as other or more so.
func (s Severity) AtLeast(other Severity) bool { return s.Compare(other) >= 0 }

func (s Severity) rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Hold says why a finding stands although this cycle did not confirm it.
type Hold string

const (
	NotHeld       Hold = ""
	HeldUncertain Hold = "uncertain" // the data do not decide; the last verdict stands
	HeldUnknown   Hold = "unknown"   // there are no data; the last verdict stands up to hold_for
)

// Finding is one rule that holds for one dependency or one chain.
type Finding struct {
	Rule       string // its code, such as timeout-below-p99
	Severity   Severity
	Dependency string // empty for a chain
	Chain      string // empty for a dependency
	Caller     string
	Callee     string
	Owner      string

	Since   time.Time // when it was first found
	Decided time.Time // when data last confirmed it
	Held    Hold

	Message string // what is wrong, with the numbers
	Advice  string // which lever to pull
}
