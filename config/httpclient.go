package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	promconfig "github.com/prometheus/common/config"
	"gopkg.in/yaml.v3"
)

// Format prints the address and nothing that may be secret, whatever the verb:
// the client's configuration would print its passwords.
func (p Prometheus) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.safe()) }

// MarshalText is for loggers and encoders what Format is for fmt.
func (p Prometheus) MarshalText() ([]byte, error) { return []byte(p.safe()), nil }

func (p Prometheus) safe() string { return "Prometheus(" + p.URL + ")" }

// httpClientFields are the HTTP client keys that Prometheus itself knows, for
// what reaches a server by the client that of gives.
func httpClientFields[T any](of func(*T) *promconfig.HTTPClientConfig) []field[T] {
	fields := []field[T]{
		{name: "basic_auth", kind: "mapping", absent: "none", example: "{username: auditor, password_file: secrets/password}",
			means: "`username` or `username_file`, and `password` or `password_file`."},
		{name: "authorization", kind: "mapping", absent: "none", example: "{type: Bearer, credentials_file: secrets/token}",
			means: "`type` (default Bearer), and `credentials` or `credentials_file`."},
		{name: "oauth2", kind: "mapping", absent: "none", example: "{client_id: auditor, client_secret_file: secrets/oauth2, token_url: 'https://login.example.com/token'}",
			means: "`client_id`, `client_secret` or `client_secret_file`, `token_url`, `scopes`, `endpoint_params`, `tls_config` and the proxy keys, as here. For the JWT bearer grant also `grant_type`, `client_certificate_key_id`, `client_certificate_key` or `client_certificate_key_file`, `signature_algorithm`, `iss`, `audience` and `claims`."},
		{name: "bearer_token", kind: "text", absent: "none", example: "not-a-real-token",
			means: "Older spelling of `authorization.credentials`."},
		{name: "bearer_token_file", kind: "file", absent: "none", example: "secrets/token",
			means: "Older spelling of `authorization.credentials_file`."},
		{name: "tls_config", kind: "mapping", absent: "the system's certificates", example: "{ca_file: ca.pem, server_name: prometheus.example.com}",
			means: "`ca` or `ca_file`, `cert` or `cert_file`, `key` or `key_file`, `server_name`, `insecure_skip_verify`, `min_version` and `max_version` (TLS10 to TLS13)."},
		{name: "follow_redirects", kind: "boolean", initial: "true", example: "false",
			means: "Whether to follow HTTP redirects."},
		{name: "enable_http2", kind: "boolean", initial: "true", example: "false",
			means: "Whether to speak HTTP/2 with servers that offer it."},
		{name: "proxy_url", kind: "URL", absent: "none", example: "http://proxy:3128",
			means: "Proxy to go through."},
		{name: "no_proxy", kind: "text", absent: "none", example: "localhost,10.0.0.0/8",
			means: "Addresses to reach without `proxy_url`, separated by commas."},
		{name: "proxy_from_environment", kind: "boolean", initial: "false", example: "true",
			means: "Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY say which proxy to use."},
		{name: "proxy_connect_header", kind: "mapping", absent: "none", example: "{Proxy-Authorization: [not-a-real-token]}",
			means: "Headers for the proxy, each with a list of values."},
		{name: "http_headers", kind: "mapping", absent: "none", example: "{X-Scope-OrgID: {values: [tenant-1]}}",
			means: "Headers for every request, each with `values`, `secrets` or `files`."},
	}
	for i := range fields {
		fields[i].read = readHTTPClientKey(fields[i].name, of)
	}
	return fields
}

// readHTTPClientKey checks the shape of a key against the library's own struct,
// so that every mistake inside has its line and no value is ever shown, and
// then lets the library decode it.
func readHTTPClientKey[T any](key string, of func(*T) *promconfig.HTTPClientConfig) func(value, *T) {
	return func(v value, into *T) {
		v.secret = true
		before := len(v.problems)
		v.checkShape(yamlFields(reflect.TypeFor[promconfig.HTTPClientConfig]())[key])
		if len(v.problems) > before {
			v.seen[v.path] = mark{line: v.line}
			return
		}
		type plain promconfig.HTTPClientConfig // its UnmarshalYAML would forget the other keys
		only := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, v.node}}
		if err := only.Decode((*plain)(of(into))); err != nil {
			v.refuse("%s", decodeProblem(err))
		}
	}
}

// decodeProblem keeps the library's words about keys, and drops YAML's about
// values.
func decodeProblem(err error) string {
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) || strings.HasPrefix(err.Error(), "yaml:") {
		return "holds a value of the wrong type"
	}
	return err.Error()
}

// validateHTTPClient runs the library's checks across keys. They name the keys
// but not where these are: the first one that the file sets is to blame.
func validateHTTPClient(v value, client *promconfig.HTTPClientConfig) {
	keys := httpClientFields(func(c *promconfig.HTTPClientConfig) *promconfig.HTTPClientConfig { return c })
	for _, f := range keys {
		if m, set := v.seen[join(v.path, f.name)]; set && !m.sound {
			return
		}
	}
	err := client.Validate()
	if err == nil {
		return
	}
	words := strings.FieldsFunc(err.Error(), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	blamed := v
	for _, f := range keys {
		m, set := v.seen[join(v.path, f.name)]
		named := slices.Contains(words, f.name) || f.name == "http_headers" && slices.Contains(words, "header")
		if set && named {
			blamed.path, blamed.line = join(v.path, f.name), m.line
			break
		}
	}
	blamed.refuse("%s", err)
}

// checkShape compares the value with a Go type of the HTTP client library.
func (v value) checkShape(t reflect.Type) {
	switch t {
	case reflect.TypeFor[promconfig.URL]():
		v.checkProxyURL()
		return
	case reflect.TypeFor[promconfig.TLSVersion]():
		v.checkTLSVersion()
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		v.checkShape(t.Elem())
	case reflect.Struct, reflect.Map:
		v.checkMapping(t)
	case reflect.Slice:
		items, _ := v.items()
		for _, item := range items {
			item.checkShape(t.Elem())
		}
	case reflect.Bool:
		v.boolean()
	case reflect.String:
		v.scalar("text")
	}
}

func (v value) checkMapping(t reflect.Type) {
	known := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		known = yamlFields(t)
	}
	pairs, _ := v.pairs()
	for _, p := range pairs {
		switch inner, ok := known[p.key]; {
		case ok:
			p.value.checkShape(inner)
		case t.Kind() == reflect.Map:
			p.value.checkShape(t.Elem())
		case known[""] != nil: // an inlined map takes any key
			p.value.checkShape(known[""].Elem())
		case isNull(p.value.node): // {hunter2} is a key without a value, and no key at all
			v.refuse("holds an unknown key without a value; known here are %s", enumerate(slices.Sorted(maps.Keys(known)), "and"))
		default:
			p.value.refuse("unknown key; %s", suggestKey(v.path, p.key, slices.Sorted(maps.Keys(known))))
		}
	}
}

// yamlFields lists the keys of a struct. Those that name a secret of a secret
// manager are left out, because there is none here.
func yamlFields(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case !f.IsExported() || strings.HasSuffix(name, "_ref"):
		case options == "inline" && f.Type.Kind() == reflect.Struct:
			for k, inner := range yamlFields(f.Type) {
				known[k] = inner
			}
		default:
			known[name] = f.Type
		}
	}
	return known
}

func (v value) checkProxyURL() {
	const want = "a URL such as http://proxy:3128"
	text, ok := v.scalar(want)
	if !ok {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Host == "" {
		v.refuse("must be %s", want)
	}
}

func (v value) checkTLSVersion() {
	versions := slices.Sorted(maps.Keys(promconfig.TLSVersions))
	if text, ok := v.scalar("a TLS version"); ok && !slices.Contains(versions, text) {
		v.secret = false
		v.refuse("must be %s%s", enumerate(versions, "or"), v.got())
	}
}
