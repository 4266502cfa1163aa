package config

import (
	"net/url"
	"strconv"
	"strings"
)

// address reads the URL of a server. Credentials in it are refused, because a
// URL ends up in logs, links and errors.
func address[T any](field func(*T) *string) func(value, *T) {
	return func(v value, into *T) {
		const want = "a URL such as http://prometheus:9090"
		text, ok := v.scalar(want)
		if !ok || v.hidesCredentials(text) {
			return
		}
		u, err := url.Parse(text)
		switch {
		case err != nil || strings.ContainsAny(text, " \t\n"):
			v.refuse("must be %s%s", want, v.got())
		case u.Scheme != "http" && u.Scheme != "https":
			v.refuse("must begin with http:// or https://%s", v.got())
		case u.Hostname() == "":
			v.refuse("must name a host%s", v.got())
		case !isPort(u.Port()):
			v.refuse("must have a port from 1 to 65535%s", v.got())
		case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
			v.refuse("must have no query (?) or fragment (#)%s", v.got())
		default:
			*field(into) = text
		}
	}
}

// isPort takes no port for the scheme's own.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && port > 0
}

// hidesCredentials refuses a URL with an @ before its path, whether or not the
// rest of it makes sense, and does not show it.
func (v value) hidesCredentials(text string) bool {
	_, rest, found := strings.Cut(text, "//")
	if !found {
		rest = text
	}
	authority, _, _ := strings.Cut(rest, "/")
	if !strings.Contains(authority, "@") {
		return false
	}
	v.refuse("must not contain credentials; use basic_auth")
	return true
}
