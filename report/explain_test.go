package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/timeout-auditor/timeout-auditor/audit"
	"github.com/timeout-auditor/timeout-auditor/latency"
	"github.com/timeout-auditor/timeout-auditor/report"
	"github.com/timeout-auditor/timeout-auditor/report/reporttest"
)

func explained(t *testing.T, r *report.Report, name string) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Explain(&out, name); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// goldenNumbers is golden, but where texts differ in numbers alone and those in
// their last digits, as processors do, it is content.
func goldenNumbers(t *testing.T, name, got string) {
	t.Helper()
	if want, err := os.ReadFile(filepath.Join("testdata", name)); err == nil && !*update && sameButLastDigits(string(want), got) {
		return
	}
	golden(t, name, []byte(got))
}

func sameButLastDigits(a, b string) bool {
	number := regexp.MustCompile(`\d+(\.\d+)?(e[-+]\d+)?`)
	words := func(s string) []string { return strings.Fields(number.ReplaceAllString(s, "#")) }
	numbersA, numbersB := number.FindAllString(a, -1), number.FindAllString(b, -1)
	if !slices.Equal(words(a), words(b)) || len(numbersA) != len(numbersB) {
		return false
	}
	for i := range numbersA {
		x, errX := strconv.ParseFloat(numbersA[i], 64)
		y, errY := strconv.ParseFloat(numbersB[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > 1e-4*math.Abs(y)+1e-12 {
			return false
		}
	}
	return true
}

func TestGoldenNumbersForgiveTheLastDigitOnly(t *testing.T) {
	const text = "p = 0.123456 (12.3%) of 7"
	for other, same := range map[string]bool{
		text: true, "p = 0.123457  (12.3%) of 7": true,
		"p = 0.1236 (12.3%) of 7": false, "q = 0.123456 (12.3%) of 7": false, "p = 0.123456 (12.3%)": false,
	} {
		if sameButLastDigits(text, other) != same {
			t.Errorf("%q: want same %t", other, same)
		}
	}
}

func TestExplanationOfEveryStatus(t *testing.T) {
	r := reporttest.EveryStatus()
	var all strings.Builder
	for _, name := range []string{"below-p99", "undecided", "thin", "gone", "unanswered"} {
		all.WriteString(explained(t, r, name) + "\n")
	}
	goldenNumbers(t, "explain-every-status.txt", all.String())
}

func TestExplanationOfTwoModesAndOfRecordedTimeouts(t *testing.T) {
	r := scenarios(t)
	for _, name := range []string{"two-modes", "recorded", "measured"} {
		goldenNumbers(t, "explain-"+name+".txt", explained(t, r, name))
	}
}

func TestExplainingAnUnknownDependencyIsAnError(t *testing.T) {
	var out bytes.Buffer
	err := reporttest.EveryStatus().Explain(&out, "none")
	if !errors.Is(err, report.ErrUnknownDependency) || !strings.Contains(err.Error(), `"none"`) || out.Len() > 0 {
		t.Errorf("error %v, wrote %q", err, out.String())
	}
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestExplainReportsThatItCouldNotWrite(t *testing.T) {
	if err := reporttest.EveryStatus().Explain(brokenPipe{}, "thin"); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestEveryExplanationHasNineSectionsAndFitsTheScreen(t *testing.T) {
	for _, r := range []*report.Report{scenarios(t), reporttest.EveryStatus()} {
		for _, d := range r.Dependencies {
			text := explained(t, r, d.Dependency.Name)
			for section := 1; section <= 9; section++ {
				heading := regexp.MustCompile(fmt.Sprintf(`(?m)^%d\. .+\n +\S`, section))
				if !heading.MatchString(text) {
					t.Errorf("%q: section %d is missing or empty", d.Dependency.Name, section)
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
					t.Errorf("%q: %d columns: %s", d.Dependency.Name, n, line)
				}
			}
			if strings.Contains(text, "NaN") || strings.Contains(text, "%!") || strings.ContainsAny(text, "\x1b\u202e") {
				t.Errorf("%q: holds what no person can read", d.Dependency.Name)
			}
		}
	}
}

// Whoever compares the limits as they are shown must come to the verdict that
// the audit came to. It would break if latency asked for other confidences.
func TestShownConditionsLeadToTheVerdict(t *testing.T) {
	r := scenarios(t)
	seen := map[latency.Verdict]int{}
	for _, d := range r.Dependencies {
		if d.Tail == nil || d.Tail.Blocked {
			continue
		}
		text := explained(t, r, d.Dependency.Name)
		for _, reading := range d.Tail.Readings {
			block := regexp.MustCompile(fmt.Sprintf(`(?s) reading %q +limit.*?this reading: [a-z ]+`, reading.Recording)).FindString(text)
			want := reading.Compare(0.01)
			if got := verdictFromShown(t, block); got != want {
				t.Errorf("%s: by what is shown %s is %s, and the audit says %s:\n%s", d.Dependency.Name, reading.Recording, got, want, block)
			}
			if says := strings.HasSuffix(block, ": "+string(want)) || strings.HasSuffix(block, ": not decided"); !says {
				t.Errorf("%s: the verdict is %s:\n%s", d.Dependency.Name, want, block)
			}
			seen[want]++
		}
	}
	if seen[latency.VerdictAbove] == 0 || seen[latency.VerdictBelow] == 0 || seen[latency.VerdictUncertain] == 0 {
		t.Errorf("not every verdict occurs: %v", seen)
	}
}

// verdictFromShown reads the table of a reading's conditions, whose limits
// stand in the second column, and not its own conclusions.
func verdictFromShown(t *testing.T, block string) latency.Verdict {
	t.Helper()
	limit := func(name string) (value float64, ok bool) {
		found := regexp.MustCompile(regexp.QuoteMeta(name) + ` +(\S+) +(not )?met`).FindStringSubmatch(block)
		if found == nil {
			return 0, false
		}
		value, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return value, true
	}
	alone, _ := limit("lower limit at 99.999%")
	now, _ := limit("lower limits at 99.9%, now")
	before, twice := limit("and in the window before")
	upper, _ := limit("clears: upper limit at 95%")
	fit, extrapolated := limit("and the extrapolation's upper limit at 95%")
	thin := strings.Contains(block, "it cannot clear")
	switch {
	case !thin && (alone > 0.01 || twice && now > 0.01 && before > 0.01):
		return latency.VerdictAbove
	case !thin && upper < 0.01 && (!extrapolated || fit < 0.01):
		return latency.VerdictBelow
	}
	return latency.VerdictUncertain
}

// The retry formulas are filled in from an outcome that is put together here as
// the audit does it: both must give one result.
func TestFormulasGiveTheAuditsOwnFallbackRatio(t *testing.T) {
	r := scenarios(t)
	worked := regexp.MustCompile(`(?:= |^)([\d.e-]+)$`)
	compared := 0
	for _, d := range r.Dependencies {
		if d.Fallback == nil || d.Assessment.Dependency.Latency.Scope == "call" {
			continue
		}
		var pure, total, attempts float64
		for _, line := range unwrapped(explained(t, r, d.Dependency.Name)) {
			value, err := strconv.ParseFloat(string(worked.ReplaceAll([]byte(worked.FindString(line)), []byte("$1"))), 64)
			switch {
			case err != nil:
			case strings.HasPrefix(line, "all time out:"), strings.HasPrefix(line, "all error:"), strings.HasPrefix(line, "mixed:"):
				pure += value
			case strings.HasPrefix(line, "F = rho·"), strings.HasPrefix(line, "F = s·"):
				pure = value
			case strings.HasPrefix(line, "A = "), strings.HasPrefix(line, "A, the"):
				attempts = value
			}
			if strings.HasPrefix(line, "F = timeouts") {
				total = pure
			}
		}
		if !close(total, d.Fallback.Ratio.Point) || !close(attempts, d.Amplification.Point) {
			t.Errorf("%s: worked out F %g A %g, the audit has F %g A %g", d.Dependency.Name,
				total, attempts, d.Fallback.Ratio.Point, d.Amplification.Point)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("only %d dependencies were compared", compared)
	}
}

func close(a, b float64) bool { return a-b <= 1e-4*b && b-a <= 1e-4*b }

func TestExplanationSaysWhy(t *testing.T) {
	r := scenarios(t)
	for name, says := range map[string][]string{
		"two-modes":               {"Two lognormals follow the counts where one does not", "median 0.0101263 s", "median 0.200412 s", "line of 3", "bucket bound at le = 350ms"},
		"one-mode":                {"lognormal calibrated to the bounds", "in the window before", "retries tip once latency grows", "What timeouts would do", "the window before: k = 96.4746 of N = 45238.1"},
		"heavy-tail":              {"Two lognormals follow the counts where one does not"},
		"recorded":                {"one open bin", "latency.timeouts, if it says"},
		"dropped":                 {"given that nothing above was recorded", "under observed.timeouts"},
		"dropped-bent":            {"anything is possible"},
		"measured":                {"timeouts 1400, attempts 61500", "A counter of timeouts outranks"},
		"measured-otherwise":      {"both stand", "why the counter and the histogram disagree"},
		"native":                  {"a native histogram of attempts", "up to 0.00"},
		"top-bucket":              {"p99 lies beyond the highest bound", "so it is above 0.1 s", "too_long"},
		"slow-scrapes":            {"too few to count anything"},
		"few-scrapes":             {"8 samples per series and 10 are needed"},
		"call-scope":              {"T is the deadline, 0.5 s", "retries inside, so F = p"},
		"no-timeout":              {"No timeout takes effect", "nothing is cut off: p = 0"},
		"budget":                  {"retry budget b = 0.01"},
		"not-retried":             {"Timeouts are not retried"},
		"deadline-cuts":           {"(deadline-cuts-attempt)", "leaves later attempts less time"},
		"slow-errors":             {"Errors take time too: after 1 of them p = ", "leaves later attempts less time"},
		"hedged":                  {"A hedge is sent when the first request is 0.1 s old", "p of a hedged attempt = p·S(T - H)"},
		"many-attempts":           {"10 declared, 9 in effect", "(retries-exceed-deadline)", "…"},
		"errors-unanswered":       {"error ratio's query gave no answer"},
		"calls-counted":           {"(counters, from", "no contradiction"},
		"contradicting":           {"unit-mismatch", "The data contradict themselves"},
		"quantiles-only":          {"least squares", "no counts that p could be read from"},
		"no-quantiles":            {"gave no p50 or no p99"},
		"falling-quantiles":       {"a higher quantile is below a lower one"},
		"equal-quantiles":         {"a point mass at 0.40822 s"},
		"empty":                   {"no calls in the window"},
		"errors-include-timeouts": {"less p, since it includes timeouts"},
	} {
		text := strings.Join(unwrapped(explained(t, r, name)), "\n")
		for _, want := range says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// A long expression may be broken only where a break means nothing, so that it
// can be pasted as it is printed.
func TestLongExpressionsStayTheSame(t *testing.T) {
	const promQL = `sum by (le) (increase(latency_seconds_bucket{path="/a  b \" c",zone='x  y'}[5m])) or ` +
		`label_replace(sum by (le) (rate(other_seconds_bucket[5m])), "stat", "two  spaces", "", "") and on (le) up`
	in := audit.Input{Dependency: new(reporttest.Dependency("a")), At: reporttest.Start, Failure: &audit.Failure{
		Status: latency.StatusQueryFailed, Message: "down", Queries: []latency.Query{{Purpose: "buckets", PromQL: latency.Words(promQL)}},
	}}
	text := explained(t, reporttest.Cycle(nil, reporttest.Start, in), "a")
	_, rest, _ := strings.Cut(text, "buckets, ")
	_, rest, _ = strings.Cut(rest, "\n")
	printed, _, _ := strings.Cut(rest, "\n\n2.")
	if n := strings.Count(printed, "\n"); n == 0 {
		t.Fatalf("not broken: %s", printed)
	}
	var joined []string
	for line := range strings.Lines(printed) {
		joined = append(joined, strings.TrimSpace(line))
	}
	if got := strings.Join(joined, " "); got != promQL {
		t.Errorf("got  %s\nwant %s", got, promQL)
	}
}

func TestAFailedQueryIsStillShown(t *testing.T) {
	dep := reporttest.Dependency("a")
	good := reporttest.Cycle(nil, reporttest.Start, reporttest.Seen(dep, reporttest.Start, 36000, 0))
	at := reporttest.Start.Add(time.Minute)
	text := explained(t, reporttest.Cycle(good, at, audit.Input{Dependency: &dep, At: at, Failure: &audit.Failure{
		Status: latency.StatusQueryFailed, Message: "bad gateway", Queries: []latency.Query{{Purpose: "scrapes", PromQL: latency.Words("count(up)")}},
	}}), "a")
	for _, want := range []string{"scrapes", "count(up)", "query-failed, bad gateway", "--time 2026-03-01T12:00:00Z", "timeout of an attempt"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}
