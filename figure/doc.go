// Package figure prints ratios, durations and counts, so that the report, the
// findings and the calculators write one number the same way. It refuses to
// print what is not a number as one: NaN reads "unknown".
package figure
