// Package browser opens pages in a real Chromium: for tests that look at what a
// person would see, and for the pictures of the documentation. A Page says what
// its console complained about and which addresses it asked for.
//
// It refuses to do without: a machine that has no Chromium is an error that says
// how to get one. It downloads nothing, and keeps no profile.
package browser
