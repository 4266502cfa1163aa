package nearest

import "strings"

// Name returns the known name that takes the fewest typing mistakes to turn
// into name, upper and lower case being one, or "" where that takes more than
// about a third of the letters of a short name or a quarter of a long one.
func Name(name string, known []string) string {
	wanted := []rune(strings.ToLower(name))
	best, least := "", len(wanted)+1
	for _, k := range known {
		letters := []rune(strings.ToLower(k))
		if k == name || max(len(letters)-len(wanted), len(wanted)-len(letters)) > most(len(letters)) {
			continue
		}
		if d := distance(wanted, letters); d < least && d <= most(len(letters)) {
			best, least = k, d
		}
	}
	return best
}

// most is how many mistakes a name of n letters may hold.
func most(n int) int { return min((n+1)/3, max(6, n/4)) }

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours each count one.
func distance(a, b []rune) int {
	prior, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], prior[j-2]+1)
			}
		}
		prior, row = row, next
	}
	return row[len(b)]
}
