package latency

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
)

// vector is one golden value of testdata/vectors.json. Sections D and E and the
// bands of timeout to p99 belong to package retry, which reads the same file.
type vector struct {
	ID, Section, Func string
	Input, Expect     map[string]any
	RTol              float64
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// num reads a number, or one of the strings that stand for what JSON lacks.
func num(t *testing.T, v any) float64 {
	t.Helper()
	switch v := v.(type) {
	case float64:
		return v
	case string:
		switch v {
		case "NaN":
			return math.NaN()
		case "+Inf":
			return math.Inf(1)
		}
	}
	t.Fatalf("not a number: %v", v)
	return 0
}

func (v vector) in(t *testing.T, key string) float64 {
	t.Helper()
	value, ok := v.Input[key]
	if !ok {
		t.Fatalf("no input %q", key)
	}
	return num(t, value)
}

func nums(t *testing.T, v any) []float64 {
	t.Helper()
	list, ok := v.([]any)
	if !ok {
		t.Fatalf("not a list: %v", v)
	}
	out := make([]float64, len(list))
	for i := range list {
		out[i] = num(t, list[i])
	}
	return out
}

// lognormal reads mu and sigma, or a median in place of mu.
func (v vector) lognormal(t *testing.T) Lognormal {
	t.Helper()
	l := Lognormal{Sigma: v.in(t, "sigma")}
	if median, ok := v.Input["median"]; ok {
		l.Mu = math.Log(num(t, median))
	} else {
		l.Mu = v.in(t, "mu")
	}
	return l
}

func (v vector) quantiles(t *testing.T) (Lognormal, error) {
	t.Helper()
	return FitQuantiles(QuantilePoint{0.5, v.in(t, "p50")}, QuantilePoint{0.99, v.in(t, "p99")})
}

func (v vector) histogram(t *testing.T) Histogram {
	t.Helper()
	h, err := FromCumulative(nums(t, v.Input["le"]), nums(t, v.Input["cum"]))
	if err != nil {
		t.Fatal(err)
	}
	if v.Input["interp"] == "exponential" {
		h.Scheme = Exponential // whose first bin, from 0, is the zero bucket
	}
	return h
}

func TestGoldenVectorsHold(t *testing.T) {
	seen := map[string]int{}
	for _, v := range readVectors(t) {
		compute, ok := computations[v.Func]
		if !ok {
			if v.Section != "D" && v.Section != "E" && v.Func != "band" {
				t.Errorf("%s: nothing computes %s", v.ID, v.Func)
			}
			continue
		}
		seen[v.Section]++
		t.Run(v.ID, func(t *testing.T) { v.check(t, compute(t, v)) })
	}
	for section, want := range map[string]int{"A": 88, "B": 41, "C": 2, "F": 19} {
		if seen[section] != want {
			t.Errorf("section %s: %d cases, want %d", section, seen[section], want)
		}
	}
}

// check compares every expected field that is a number, a word or a flag.
func (v vector) check(t *testing.T, got map[string]any) {
	t.Helper()
	compared := 0
	for key, want := range v.Expect {
		have, ok := got[key]
		if !ok {
			t.Errorf("%s is not computed (want %v)", key, want)
			continue
		}
		compared++
		wantNumber, isNumber := want.(float64)
		if !isNumber {
			if have != want {
				t.Errorf("%s = %v, want %v", key, have, want)
			}
			continue
		}
		value, isFloat := have.(float64)
		allowed := v.RTol * math.Abs(wantNumber)
		if wantNumber == 0 {
			allowed = v.RTol
		}
		if !isFloat || !(math.Abs(value-wantNumber) <= allowed) {
			t.Errorf("%s = %v, want %v to %g", key, have, want, v.RTol)
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

// problem names an error as the vectors do.
func problem(t *testing.T, err error) map[string]any {
	t.Helper()
	for name, sentinel := range map[string]error{
		"nan_quantile":          ErrNaNQuantile,
		"infinite_quantile":     ErrInfiniteQuantile,
		"nonpositive_quantile":  ErrNonPositiveQuantile,
		"nonmonotone_quantiles": ErrNonMonotonicQuantiles,
		"nonpositive_timeout":   ErrNonPositiveTimeout,
		"degenerate_histogram":  ErrNoEstimate,
	} {
		if errors.Is(err, sentinel) {
			return map[string]any{"error": name}
		}
	}
	t.Fatalf("unexpected error %v", err)
	return nil
}
