package recording

import (
	"fmt"
	"strconv"
	"strings"
)

// tailScale is k in t = 1/(1 + k·|z|).
const tailScale = 0.32

// tailCoefficients are a₁ … a₈ of the normal tail
//
//	P(Z > |z|) ≈ exp(−z²/2)·(a₁·t + a₂·t² + … + a₈·t⁸)
//
// the form of Abramowitz and Stegun 7.1.26, which bounds the absolute error and
// so says nothing about tails. These bound the relative one, by 1e-6 for every
// z. derivation: the minimax polynomial for P·exp(z²/2), found by Remez's
// exchange in 40 digits with weight 1/P, and rounded to 9 digits; k was chosen
// from a grid for the least error. The test on it measures the error anew.
func tailCoefficients() []float64 {
	return []float64{
		0.127661405, 0.127682953, 0.113999326, 0.0945135567,
		0.0231718288, 0.0953410222, -0.114661293, 0.0322907116,
	}
}

// upperTail is PromQL for P(Z > z), z an expression that is read often. For a
// negative z it is 1 − P(Z > |z|).
func upperTail(z string) string {
	var sum strings.Builder
	for i, a := range tailCoefficients() {
		fmt.Fprintf(&sum, "  + %s / (1 + %s * abs(%s)) ^ %d\n", number(a), number(tailScale), z, i+1)
	}
	negative := fmt.Sprintf("(%s < bool 0)", z)
	return fmt.Sprintf("%[1]s + (1 - 2 * %[1]s) * exp(-(%[2]s ^ 2) / 2) * (\n%[3]s)", negative, z, strings.Replace(sum.String(), "  +", "   ", 1))
}

// number writes x so that PromQL reads the same x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
