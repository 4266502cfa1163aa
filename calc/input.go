package calc

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

// InputError says which input of a calculator is wrong, what was given and what
// would be right.
type InputError struct {
	Input string // as on the command line, without dashes: "p99"
	Got   string
	Want  string // "must be above 0"
}

func (e *InputError) Error() string {
	if e.Got == "" {
		return e.Input + ": " + e.Want
	}
	return e.Input + ": " + e.Want + ", got " + e.Got
}

// Values holds input as text, by input name: flags or a submitted form.
type Values map[string][]string

// reader reads Values and keeps the first error.
type reader struct {
	values Values
	err    error
}

func (r *reader) text(name string) string {
	if given := r.values[name]; len(given) > 0 {
		return given[len(given)-1]
	}
	return ""
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// required reads a duration that must be given.
func (r *reader) required(name string) float64 {
	text := r.text(name)
	if text == "" {
		r.fail(&InputError{Input: name, Want: "is required, a duration such as 180ms"})
	}
	return r.duration(name, text)
}

// optional reads a duration that may be missing, in seconds; 0 then.
func (r *reader) optional(name string) float64 { return r.duration(name, r.text(name)) }

// durations reads one duration for each time the input is given.
func (r *reader) durations(name string) []float64 {
	var all []float64
	for _, text := range r.values[name] {
		if text != "" {
			all = append(all, r.duration(name, text))
		}
	}
	return all
}

func (r *reader) duration(name, text string) float64 {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		r.fail(&InputError{Input: name, Got: text, Want: "must be a duration such as 180ms, 1.4s or 250us"})
	}
	return d.Seconds()
}

// number reads a number, or returns missing.
func (r *reader) number(name, want string, missing float64) float64 {
	text := r.text(name)
	if text == "" {
		return missing
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.fail(&InputError{Input: name, Got: text, Want: want})
	}
	return x
}

func (r *reader) whole(name, want string, missing int) int {
	text := r.text(name)
	if text == "" {
		return missing
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		r.fail(&InputError{Input: name, Got: text, Want: want})
	}
	return n
}

func (r *reader) flag(name string, missing bool) bool {
	text := r.text(name)
	if text == "" {
		return missing
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		r.fail(&InputError{Input: name, Got: text, Want: "must be true or false"})
	}
	return on
}

// What is right, by kind of input.
const (
	wantPositive = "must be above 0"
	wantZeroUp   = "must be 0 or above"
	wantCount    = "must be between 0 and 1e15"
	wantRatio    = "must be between 0 and 1"
)

func wantWhole(low, high int) string {
	return fmt.Sprintf("must be a whole number between %d and %d", low, high)
}

const maxRetries = retry.MaxAttempts - 1

// firstError returns the first error there is.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func positiveSeconds(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return &InputError{Input: name, Got: seconds(x), Want: wantPositive}
	}
	return nil
}

func zeroOrMoreSeconds(name string, x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return &InputError{Input: name, Got: seconds(x), Want: wantZeroUp}
	}
	return nil
}

// maxCount is more calls than anybody makes, and whole in a float64.
const maxCount = 1e15

func inCount(name string, x float64) error {
	if !(x >= 0 && x <= maxCount) {
		return &InputError{Input: name, Got: plain(x), Want: wantCount}
	}
	return nil
}

func inRatio(name string, x float64) error {
	if !(x >= 0 && x <= 1) {
		return &InputError{Input: name, Got: plain(x), Want: wantRatio}
	}
	return nil
}

func inWhole(name string, n, low, high int) error {
	if n < low || n > high {
		return &InputError{Input: name, Got: strconv.Itoa(n), Want: wantWhole(low, high)}
	}
	return nil
}

// atMedian checks that p99 does not lie below p50.
func atMedian(p50, p99 float64) error {
	if p99 < p50 {
		return &InputError{Input: "p99", Got: seconds(p99), Want: "must be at least p50, which is " + seconds(p50)}
	}
	return nil
}
