// Package reporttest makes reports for tests, by the real judgement over
// observations with known counts. Production code must not import it.
package reporttest
