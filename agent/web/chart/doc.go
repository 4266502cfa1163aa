// Package chart draws what the pages show as inline SVG: Survival, the share of
// attempts that takes longer than a time, on log axes; Series, values over time
// on a log axis; Bar, one call on a deadline. Drawings carry classes and no
// colours, so that the style sheet decides on light, dark and print, and a title
// and a description for those who do not see them.
//
// Values in, markup out: no data are fetched and nothing is computed about
// them but where they lie on the page. All text is escaped. It refuses to draw
// what is not a number: such points are left out.
package chart
