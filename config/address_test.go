package config

import "testing"

func TestAddressesOfServers(t *testing.T) {
	for _, tc := range []struct{ address, want string }{
		{"http://prometheus", ""},
		{"https://mimir.example.com:8443/prometheus/", ""},
		{"http://[::1]:9090", ""},
		{"http://prometheus:9090/team@eu", ""},
		{"", "key: must begin with http:// or https://, got \"\""},
		{"prometheus:9090", "key: must begin with http:// or https://, got prometheus:9090"},
		{"prometheus", "key: must begin with http:// or https://, got prometheus"},
		{"//prometheus:9090", "key: must begin with http:// or https://, got //prometheus:9090"},
		{"ftp://prometheus", "key: must begin with http:// or https://, got ftp://prometheus"},
		{"http://", "key: must name a host, got http://"},
		{"http://:9090", "key: must name a host, got http://:9090"},
		{"http:///prometheus", "key: must name a host, got http:///prometheus"},
		{"http://prometheus:0", "key: must have a port from 1 to 65535, got http://prometheus:0"},
		{"http://prometheus:99999", "key: must have a port from 1 to 65535, got http://prometheus:99999"},
		{"http://prometheus:web", "key: must be a URL such as http://prometheus:9090, got http://prometheus:web"},
		{"http://prome theus", "key: must be a URL such as http://prometheus:9090, got \"http://prome theus\""},
		{"http://prometheus/?tenant=1", "key: must have no query (?) or fragment (#), got http://prometheus/?tenant=1"},
		{"http://prometheus/?", "key: must have no query (?) or fragment (#), got http://prometheus/?"},
		{"http://prometheus/#", "key: must have no query (?) or fragment (#), got http://prometheus/#"},
		{"http://admin:hunter2@prometheus", "key: must not contain credentials; use basic_auth"},
		{"http://hunter2@prometheus", "key: must not contain credentials; use basic_auth"},
		{"admin:hunter2@prometheus", "key: must not contain credentials; use basic_auth"},
		{"http://admin:hunter2@ %zz", "key: must not contain credentials; use basic_auth"},
	} {
		v, got := text(tc.address), ""
		address(func(s *string) *string { return s })(v, &got)
		problem := ""
		for _, p := range v.problems {
			problem += p.Path + ": " + p.Message
		}
		if problem != tc.want || tc.want == "" && got != tc.address {
			t.Errorf("%q is read as %q with problem %q, want %q", tc.address, got, problem, tc.want)
		}
	}
}
