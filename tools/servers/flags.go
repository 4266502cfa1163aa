package servers

import (
	"slices"
	"strings"
)

// withDefaults adds those defaults to flags that flags does not set itself.
// Every flag has the form --name or --name=value: these servers refuse a flag
// that is given twice, or take both values.
func withDefaults(flags, defaults []string) []string {
	all := slices.Clone(flags)
	for _, d := range defaults {
		name := flagName(d)
		set := slices.ContainsFunc(flags, func(flag string) bool { return flagName(flag) == name })
		if !set {
			all = append(all, d)
		}
	}
	return all
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}
