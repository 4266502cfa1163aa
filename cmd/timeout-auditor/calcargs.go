package main

import "strings"

// joinNegativeValues turns "--retries -1" into "--retries=-1". Kingpin would
// take -1 for a flag and only say that --retries lacks its value; joined, the
// flag itself refuses the value and says what would be right. No flag of this
// program begins with a digit.
func joinNegativeValues(args []string) []string {
	joined := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if last := len(joined) - 1; last >= 0 && negative(arg) && strings.HasPrefix(joined[last], "--") && !strings.Contains(joined[last], "=") {
			joined[last] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// negative reports whether arg looks like a negative number or duration.
func negative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '.' || arg[1] >= '0' && arg[1] <= '9' ||
		strings.HasPrefix(strings.ToLower(arg), "-inf"))
}
