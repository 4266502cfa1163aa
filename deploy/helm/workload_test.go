package helm_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pod(t *testing.T, all objects) object {
	t.Helper()
	spec, _ := all.only(t, "Deployment").at("spec", "template", "spec").(map[string]any)
	return spec
}

func arguments(t *testing.T, o object) []string {
	t.Helper()
	list, _ := o.at("containers", 0, "args").([]any)
	var args []string
	for _, arg := range list {
		text, ok := arg.(string)
		if !ok {
			t.Fatalf("argument %v is no text", arg)
		}
		args = append(args, text)
	}
	return args
}

func TestPodsMayDoNothingTheyDoNotNeed(t *testing.T) {
	for name, args := range map[string][]string{"default values": nil, "full values": {"--values=" + fullValues}} {
		t.Run(name, func(t *testing.T) {
			all := render(t, args...)
			test, _ := all.only(t, "Pod").at("spec").(map[string]any)
			for _, spec := range []object{pod(t, all), test} {
				got := map[string]any{
					"token":        spec.at("automountServiceAccountToken"),
					"non-root":     spec.at("securityContext", "runAsNonRoot"),
					"user":         spec.at("securityContext", "runAsUser"),
					"seccomp":      spec.at("securityContext", "seccompProfile", "type"),
					"read-only":    spec.at("containers", 0, "securityContext", "readOnlyRootFilesystem"),
					"escalation":   spec.at("containers", 0, "securityContext", "allowPrivilegeEscalation"),
					"capabilities": spec.at("containers", 0, "securityContext", "capabilities", "drop"),
					"memory":       spec.at("containers", 0, "resources", "limits", "memory"),
				}
				want := map[string]any{
					"token": false, "non-root": true, "user": 65532, "seccomp": "RuntimeDefault", "read-only": true,
					"escalation": false, "capabilities": []any{"ALL"}, "memory": "256Mi",
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
			if token := all.only(t, "ServiceAccount").at("automountServiceAccountToken"); token != false {
				t.Errorf("service account mounts its token: %v", token)
			}
		})
	}
}

func TestDisruptionBudgetOnlyWhereItDoesNotBlockDrains(t *testing.T) {
	for replicas, want := range map[string]bool{"0": false, "1": false, "2": true, "3": true} {
		if got := render(t, "--set=replicas="+replicas).has("PodDisruptionBudget"); got != want {
			t.Errorf("%s replicas: a budget %v, want %v", replicas, got, want)
		}
	}
}

// A change that Helm sees makes new pods, unless the running one is to take it.
func TestChangedConfigurationRollsPodsOnlyWhenAskedTo(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		rolls bool
	}{
		"roll":                        {nil, true},
		"auto":                        {[]string{"--set=reload=auto"}, false},
		"a ConfigMap Helm cannot see": {[]string{"--set=existingConfigMap.name=mine"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			sum := func(args ...string) string {
				return render(t, append(args, c.args...)...).only(t, "Deployment").
					text("spec", "template", "metadata", "annotations", "checksum/config")
			}
			before, after := sum(), sum("--set=config.hold_for=2h")
			if rolls := before != after; rolls != c.rolls || (before == "") == c.rolls {
				t.Errorf("the checksum goes from %q to %q, want new pods: %v", before, after, c.rolls)
			}
		})
	}
}

func TestExistingConfigMapIsMountedAndNoneIsMade(t *testing.T) {
	all := render(t, "--set=existingConfigMap.name=mine,existingConfigMap.key=auditor.yaml,dashboard.enabled=false")
	if all.has("ConfigMap") {
		t.Error("a ConfigMap is made")
	}
	want := map[string]any{"name": "mine", "items": []any{map[string]any{"key": "auditor.yaml", "path": "config.yaml"}}}
	if diff := cmp.Diff(want, pod(t, all).at("volumes", 0, "configMap")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestProbesFitWhatTheServerAsksFor(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want map[string]any
	}{
		"plain": {nil, map[string]any{"httpGet": map[string]any{"path": "/-/ready", "port": "http", "scheme": "HTTP"}}},
		"behind a path": {
			[]string{"--set=web.externalURL=https://example.com/a/b/"},
			map[string]any{"httpGet": map[string]any{"path": "/a/b/-/ready", "port": "http", "scheme": "HTTP"}},
		},
		"TLS": {
			[]string{"--set=web.tls=true,web.configSecret=web"},
			map[string]any{"httpGet": map[string]any{"path": "/-/ready", "port": "http", "scheme": "HTTPS"}},
		},
		"a password": {
			[]string{"--set=web.authentication=true,web.configSecret=web"},
			map[string]any{"tcpSocket": map[string]any{"port": "http"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			probe, _ := pod(t, render(t, c.args...)).at("containers", 0, "readinessProbe").(map[string]any)
			for key := range probe {
				if strings.HasSuffix(key, "Seconds") {
					delete(probe, key)
				}
			}
			if diff := cmp.Diff(c.want, probe); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Secrets have their own directories beside the configuration: nothing can be
// mounted inside a ConfigMap's, which is read-only.
func TestMountsLieBesideEachOther(t *testing.T) {
	all := render(t, "--values="+fullValues)
	mounts, _ := pod(t, all).at("containers", 0, "volumeMounts").([]any)
	var paths []string
	for _, mount := range mounts {
		mapping, _ := mount.(map[string]any)
		if _, sub := mapping["subPath"]; sub {
			t.Errorf("%v is mounted by subPath: it would never change", mapping["name"])
		}
		paths = append(paths, object(mapping).text("mountPath"))
	}
	want := []string{
		"/etc/timeout-auditor/config",
		"/etc/timeout-auditor/secrets/prometheus-auth",
		"/etc/timeout-auditor/secrets/example-ca",
		"/etc/timeout-auditor/secrets/auditor-tls",
		"/etc/timeout-auditor/web",
		"/tmp",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, one := range paths {
		for _, other := range paths {
			if strings.HasPrefix(other, one+"/") {
				t.Errorf("%s is mounted inside %s", other, one)
			}
		}
	}
}

// Requests go to the daemon alone, and not to the pod of helm test.
func TestServiceSelectsThePodsOfTheDeploymentOnly(t *testing.T) {
	all := render(t)
	selector, _ := all.only(t, "Service").at("spec", "selector").(map[string]any)
	if len(selector) == 0 {
		t.Fatal("the selector is empty")
	}
	matches := func(labels any) bool {
		mapping, _ := labels.(map[string]any)
		for label, value := range selector {
			if mapping[label] != value {
				return false
			}
		}
		return true
	}
	if !matches(all.only(t, "Deployment").at("spec", "template", "metadata", "labels")) {
		t.Error("it does not select the deployment's pods")
	}
	if matches(all.only(t, "Pod").at("metadata", "labels")) {
		t.Error("it selects the pod of helm test")
	}
}

// The program must know the flags it is started with.
func TestProgramKnowsItsArguments(t *testing.T) {
	var help bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "run", "../../cmd/timeout-auditor", "help", "run")
	cmd.Stdout, cmd.Stderr = &help, &help
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &help)
	}
	// By default, so that no argument asks for it.
	if !strings.Contains(help.String(), "--config.auto-reload-interval=30s") {
		t.Errorf("it does not watch its file:\n%s", &help)
	}
	for _, args := range [][]string{nil, {"--values=" + fullValues}} {
		given := arguments(t, pod(t, render(t, args...)))
		if given[0] != "run" {
			t.Errorf("the command is %s", given[0])
		}
		for _, arg := range given[1:] {
			flag, _, _ := strings.Cut(arg, "=")
			if !strings.Contains(help.String(), "  "+flag) && !strings.Contains(help.String(), "  --[no-]"+flag[2:]) {
				t.Errorf("unknown flag %s; it knows\n%s", flag, &help)
			}
		}
	}
}
