// Package nearest finds the known name that a misspelt one was meant to be. It
// knows nothing of what the names are for, and suggests nothing where more than
// a slip of the finger lies between them.
package nearest
