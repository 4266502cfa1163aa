// Package compose_test checks what stands around the containers: that every
// file is there and is one its program takes, and, with real servers in place
// of containers, that they find each other. No engine and no registry is
// needed, so nothing here shows that the images start.
package compose_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/demo/workload"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

// project is the part of a compose file that these tests read.
type project struct {
	Name     string             `yaml:"name"`
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Image       string            `yaml:"image"`
	Build       build             `yaml:"build"`
	Command     []string          `yaml:"command"`
	Ports       []string          `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	Environment map[string]string `yaml:"environment"`
	ReadOnly    bool              `yaml:"read_only"`
	CapDrop     []string          `yaml:"cap_drop"`
	SecurityOpt []string          `yaml:"security_opt"`
	Restart     string            `yaml:"restart"`
	DependsOn   []string          `yaml:"depends_on"`
}

type build struct {
	Context    string `yaml:"context"`
	Dockerfile string `yaml:"dockerfile"`
}

func load(t *testing.T) project {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(read(t, "compose.yaml")))
	decoder.KnownFields(true) // a misspelt key is ignored by nobody
	var p project
	if err := decoder.Decode(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryMountHasItsFile(t *testing.T) {
	p := load(t)
	for name, s := range p.Services {
		for _, volume := range s.Volumes {
			parts := strings.Split(volume, ":")
			switch source := parts[0]; {
			case len(parts) < 2 || !strings.HasPrefix(parts[1], "/"):
				t.Errorf("%s: %s has no place in the container", name, volume)
			case !strings.HasPrefix(source, "."):
				if _, ok := p.Volumes[source]; !ok {
					t.Errorf("%s: no volume is named %s", name, source)
				}
			case parts[len(parts)-1] != "ro":
				t.Errorf("%s: %s can be written to", name, volume)
			default:
				if _, err := os.Stat(source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// An engine makes an empty directory of a file that a flag names and nobody
// mounts.
func TestFilesOfCommandsAreMounted(t *testing.T) {
	for name, s := range load(t).Services {
		for _, arg := range s.Command {
			flag, file, ok := strings.Cut(arg, "=")
			if !ok || !strings.HasSuffix(flag, ".file") {
				continue
			}
			if !slices.ContainsFunc(s.Volumes, func(volume string) bool { return strings.Contains(volume, ":"+file+":") }) {
				t.Errorf("%s: %s is not mounted", name, file)
			}
		}
	}
}

func TestServicesDependOnServicesAndShareNoPort(t *testing.T) {
	p := load(t)
	ports := map[string]string{}
	for name, s := range p.Services {
		for _, other := range s.DependsOn {
			if _, ok := p.Services[other]; !ok {
				t.Errorf("%s depends on %s, which is none", name, other)
			}
		}
		for _, port := range s.Ports {
			host := port[:strings.LastIndex(port, ":")]
			if ports[host] != "" {
				t.Errorf("%s and %s both publish %s", name, ports[host], host)
			}
			if !strings.HasPrefix(host, "127.0.0.1:") {
				t.Errorf("%s: %s is open to the network", name, port)
			}
			ports[host] = name
		}
	}
}

func TestBuildsHaveTheirDockerfileAndNeedNoPrivilege(t *testing.T) {
	built := 0
	for name, s := range load(t).Services {
		if s.Build.Context == "" {
			continue
		}
		built++
		dockerfile := s.Build.Dockerfile
		if dockerfile == "" {
			dockerfile = "Dockerfile"
		}
		text, err := os.ReadFile(filepath.Join(s.Build.Context, dockerfile))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(string(text), "\nUSER 65532:65532\n") {
			t.Errorf("%s: %s sets no unprivileged user", name, dockerfile)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs", name)
		}
	}
	if built != 2 {
		t.Errorf("%d services are built, want the auditor and the workload", built)
	}
}

// Tests run against the pinned servers: the containers are to be the same.
func TestServersAreThoseOfTheTests(t *testing.T) {
	pin := func(module, path string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("..", "..", "tools", module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		match := regexp.MustCompile(`(?m)` + regexp.QuoteMeta(path) + ` v([0-9.]+)\b`).FindSubmatch(text)
		if match == nil {
			t.Fatalf("%s pins no %s", module, path)
		}
		return string(match[1])
	}
	// Prometheus tags its module 0.316.0 for the release 3.16.0.
	module := regexp.MustCompile(`^0\.(\d)(\d\d)\.(\d+)$`).FindStringSubmatch(pin("prometheus", "github.com/prometheus/prometheus"))
	if module == nil {
		t.Fatal("Prometheus's module has another kind of version")
	}
	p := load(t)
	for name, want := range map[string]string{
		"prometheus":   "prom/prometheus:v" + module[1] + "." + strings.TrimPrefix(module[2], "0") + "." + module[3],
		"alertmanager": "prom/alertmanager:v" + pin("alertmanager", "github.com/prometheus/alertmanager"),
	} {
		if got := p.Services[name].Image; got != want {
			t.Errorf("%s is %s, tests run %s", name, got, want)
		}
	}
}

func TestProgramsTakeTheirFiles(t *testing.T) {
	dir := t.TempDir()
	copyFile(t, "prometheus.yml", filepath.Join(dir, "prometheus.yml"))
	copyFile(t, "../prometheus/timeout-auditor.rules.yaml", filepath.Join(dir, "rules", "timeout-auditor.rules.yaml"))
	out, err := servers.Promtool(t.Context(), "check", "config", filepath.Join(dir, "prometheus.yml"))
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(out), "1 rule files found") {
		t.Errorf("Prometheus does not find its rules:\n%s", out)
	}
	if _, err := servers.Amtool(t.Context(), "check-config", "alertmanager.yml"); err != nil {
		t.Error(err)
	}
	for _, severity := range []string{"critical", "warning", "info"} {
		out, err := servers.Amtool(t.Context(), "config", "routes", "test", "--config.file=alertmanager.yml", "severity="+severity)
		want := map[string]string{"critical": "pager", "warning": "tickets", "info": "nobody"}[severity]
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s goes to %s, want %s: %v", severity, out, want, err)
		}
	}
}

// A call of the workload without a dependency in the file would not be audited.
func TestConfigurationAuditsTheWholeWorkload(t *testing.T) {
	c, err := config.Load("config.yaml", config.Options{Rules: rules.Codes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range workload.Shapes() {
		if !slices.ContainsFunc(c.Dependencies, func(d config.Dependency) bool { return d.Name == shape.Dependency }) {
			t.Errorf("%s is not audited", shape.Dependency)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
