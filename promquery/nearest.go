package promquery

// nearest returns the name that differs least from the given one, or "" where
// none is near enough to be a slip of the finger: up to a quarter of its length.
func nearest(name string, names []string) string {
	best, least := "", len(name)/4+1
	for _, candidate := range names {
		if candidate == name {
			continue
		}
		if d := distance(name, candidate, least); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of single-byte edits between two names (Levenshtein),
// or limit where it is at least that.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}
