package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const smallest = `
prometheus: {url: http://prometheus:9090}
dependencies: [{name: a, latency: {histogram: h_seconds}}]
`

func TestLoadTakesSecretFilesFromTheDirectoryOfTheFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	text := strings.Replace(smallest, "9090}", "9090, authorization: {credentials_file: secrets/token}, tls_config: {ca_file: /etc/ca.pem}}", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Prometheus.HTTPClient.Authorization.CredentialsFile, filepath.Join(dir, "secrets", "token"); got != want {
		t.Errorf("credentials file %s, want %s", got, want)
	}
	if got := c.Prometheus.HTTPClient.TLSConfig.CAFile; got != "/etc/ca.pem" {
		t.Errorf("the absolute path became %s", got)
	}
}

func TestLoadSaysWhichFileItCouldNotRead(t *testing.T) {
	_, err := Load(filepath.Join("testdata", "absent.yaml"), Options{})
	const want = "read the configuration: open testdata/absent.yaml: no such file or directory"
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := Load("testdata", Options{}); err == nil || !strings.Contains(err.Error(), "testdata") {
		t.Errorf("loading a directory: %v", err)
	}
}

func TestLoadProblemsNameTheFileAsItWasGiven(t *testing.T) {
	_, err := Load("testdata/bad/empty-file.yaml", Options{})
	if want := "testdata/bad/empty-file.yaml: is empty: prometheus.url and at least one dependency are needed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRulesAreRefusedUnlessTheyAreKnown(t *testing.T) {
	text := smallest + "rules: {no-timeout: {for: 1m}}\n"
	if _, err := Parse("c", []byte(text), Options{Rules: []string{"no-timeout"}}); err != nil {
		t.Error(err)
	}
	_, err := Parse("c", []byte(text), Options{})
	if want := "c:4: rules.no-timeout: unknown rule no-timeout; known are none"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestStaleAfterDefaultsToThreeGapsButNotBelowFiveMinutes(t *testing.T) {
	for schedule, want := range map[string]time.Duration{
		"@every 1s":   5 * time.Minute,
		"@every 100s": 5 * time.Minute,
		"@every 2m":   6 * time.Minute,
		"@hourly":     3 * time.Hour,
	} {
		c, err := Parse("c", []byte(smallest+"schedule: '"+schedule+"'\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.StaleAfter != want {
			t.Errorf("%s: stale after %v, want %v", schedule, c.StaleAfter, want)
		}
	}
}

// Without a bound these two take days and all memory.
func TestAliasBombsAreRefused(t *testing.T) {
	merges, list := "x0: &m0 {caller: a}\n", "x0: &l0 [a]\n"
	for i := range 9 {
		prior, next := string(rune('0'+i)), string(rune('1'+i))
		merges += "x" + next + ": &m" + next + " {<<: [" + strings.TrimSuffix(strings.Repeat("*m"+prior+", ", 10), ", ") + "]}\n"
		list += "x" + next + ": &l" + next + " [" + strings.TrimSuffix(strings.Repeat("*l"+prior+", ", 10), ", ") + "]\n"
	}
	for name, tc := range map[string]struct{ text, want string }{
		"merge keys": {merges + "prometheus: {url: http://p}\ndependencies: [{name: a, <<: *m9}]\n", "merges too many mappings"},
		"claims": {list + "prometheus: {url: http://p, oauth2: {client_id: a, token_url: b, claims: {c: *l9}}}\n" +
			"dependencies: [{name: a, latency: {histogram: h}}]\n", "prometheus.oauth2: holds a value of the wrong type"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("c", []byte(tc.text), Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %.300v, want %s", err, tc.want)
			}
		})
	}
}
