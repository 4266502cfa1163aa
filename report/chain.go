package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/figure"
	"github.com/timeout-auditor/timeout-auditor/rules"
)

// ChainDocument is one chain in the JSON form of a report.
type ChainDocument struct {
	Chain              string            `json:"chain"`
	Caller             string            `json:"caller"`
	Owner              string            `json:"owner"`
	BudgetSeconds      float64           `json:"budget_seconds"`
	NeededSeconds      float64           `json:"needed_seconds"`
	LeastNeededSeconds float64           `json:"least_needed_seconds"`
	UnknownHops        []string          `json:"unknown_hops"` // not in needed_seconds, which is a lower bound then
	ShareSeconds       float64           `json:"share_per_attempt_seconds"`
	Amplification      *float64          `json:"amplification_ratio"`
	WorstCase          float64           `json:"worst_case_amplification_ratio"`
	Fallback           *EstimateDocument `json:"fallback"` // at any hop
	FanOuts            []FanOutDocument  `json:"fan_outs"`
	Lever              string            `json:"lever"`
	Hops               []HopDocument     `json:"hops"`
	Inversions         []InvertDocument  `json:"inversions"`
	Findings           []FindingDocument `json:"findings"`
}

// HopDocument is one dependency's place in a chain, depth first.
type HopDocument struct {
	Dependency       string   `json:"dependency"`
	Depth            int      `json:"depth"`
	Parallel         bool     `json:"parallel"`
	P99Seconds       *float64 `json:"p99_seconds"`
	RemainingSeconds *float64 `json:"remaining_seconds"`
	Amplification    *float64 `json:"amplification_ratio"`
	WorstCase        float64  `json:"worst_case_amplification_ratio"`
}

// FanOutDocument is calls made at once, with the p99 of the slowest.
type FanOutDocument struct {
	Dependencies []string `json:"dependencies"`
	P99Seconds   *float64 `json:"p99_seconds"`
}

// InvertDocument is an inner call that may outlive what its caller has left.
type InvertDocument struct {
	Dependency     string  `json:"dependency"`
	Caller         string  `json:"caller"`
	LongestSeconds float64 `json:"longest_seconds"`
	LeftSeconds    float64 `json:"left_seconds"`
}

func chainDocument(c Chain) ChainDocument {
	document := ChainDocument{
		Chain: c.Chain.Name, Caller: c.Chain.Caller, Owner: c.Chain.Owner,
		BudgetSeconds: c.Chain.Deadline.Seconds(), NeededSeconds: c.Needed, LeastNeededSeconds: c.Least,
		UnknownHops: append([]string{}, c.Unknown...), ShareSeconds: c.Share,
		Amplification: c.Amplification, WorstCase: c.WorstCase, Lever: c.Lever,
		Fallback: estimateDocument(c.Fallback), FanOuts: []FanOutDocument{},
		Hops: []HopDocument{}, Inversions: []InvertDocument{}, Findings: findingDocuments(c.Findings),
	}
	for _, h := range c.Hops {
		document.Hops = append(document.Hops, HopDocument{h.Dependency, h.Depth, h.Parallel, h.P99, h.Remaining, h.Amplification, h.WorstCase})
	}
	for _, f := range c.FanOuts {
		document.FanOuts = append(document.FanOuts, FanOutDocument{f.Dependencies, f.P99})
	}
	for _, i := range c.Inversions {
		document.Inversions = append(document.Inversions, InvertDocument{i.Dependency, i.Caller, i.Longest, i.Left})
	}
	return document
}

func findingDocuments(findings []rules.Finding) []FindingDocument {
	documents := make([]FindingDocument, 0, len(findings))
	for _, f := range findings {
		documents = append(documents, FindingDocument{
			f.Rule, f.Severity, f.Since.UTC(), f.Decided.UTC(), f.Held, f.Message, f.Advice,
		})
	}
	return documents
}

// writeChains writes each chain with its hops, indented by depth.
func (r *Report) writeChains(out *strings.Builder) error {
	for _, c := range r.Chains {
		needed := figure.Seconds(c.Needed)
		if len(c.Unknown) > 0 {
			needed = fmt.Sprintf("at least %s (unknown: %s)", needed, printable(strings.Join(c.Unknown, ", ")))
		}
		fmt.Fprintf(out, "\nchain %s: deadline %s, needed %s, share per attempt %s, worst case %s\n",
			printable(c.Chain.Name), figure.Seconds(c.Chain.Deadline.Seconds()), needed, attemptShare(c.Share), figure.Multiple(c.WorstCase))
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  HOP\tP99\tLEFT BEFORE\tATTEMPTS EXPECTED\tAT WORST")
		for _, h := range c.Hops {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", hopName(h), known(h.P99, figure.Seconds), known(h.Remaining, figure.Seconds),
				known(h.Amplification, figure.Multiple), figure.Multiple(h.WorstCase))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for _, f := range c.FanOuts {
			fmt.Fprintf(out, "  p99 of the slowest of %s: %s\n", printable(strings.Join(f.Dependencies, ", ")), known(f.P99, figure.Seconds))
		}
		if f := c.Fallback; f != nil {
			fmt.Fprintf(out, "  calls with a fallback at a hop at least: %s (%s to %s)\n",
				figure.Ratio(f.Point), figure.Ratio(f.Lower), figure.Ratio(f.Upper))
		}
		writeFindings(out, c.Findings)
	}
	return nil
}

func attemptShare(seconds float64) string {
	if seconds <= 0 {
		return "none: the attempts do not fit"
	}
	return figure.Seconds(seconds)
}

func hopName(h audit.HopAssessment) string {
	name := strings.Repeat("  ", h.Depth) + printable(h.Dependency)
	if h.Parallel {
		name += " (parallel)"
	}
	return name
}
