package nearest_test

import (
	"testing"

	"github.com/timeout-auditor/timeout-auditor/nearest"
)

func TestNameFindsSlipsOfTheFinger(t *testing.T) {
	known := []string{"retries", "timeout", "connect_timeout", "http_client_request_duration_seconds", "URL"}
	for name, want := range map[string]string{
		"retires":                              "retries", // a swap is one mistake
		"retry":                                "",        // three of seven letters
		"timeouts":                             "timeout",
		"url":                                  "URL",
		"conect_timeout":                       "connect_timeout",
		"http_client_requests_duration_second": "http_client_request_duration_seconds",
		"grpc_client_attempt_duration_seconds": "",
		"":                                     "",
		"timeout":                              "", // known already
	} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("%q is taken for %q, want %q", name, got, want)
		}
	}
}

func TestNameToleratesAThirdOfTheLettersAtMost(t *testing.T) {
	known := []string{"timeout", "timeouts", "retries", "retry_budget", "for"}
	for word, want := range map[string]string{
		"timout": "timeout", "timeuot": "timeout", "TIMEOUT": "timeout", "timeoutss": "timeouts",
		"retires": "retries", "retry_budgets": "retry_budget", "fr": "for", "fo": "for",
		"url": "", "": "", "deadline": "", "time": "",
	} {
		if got := nearest.Name(word, known); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestNamesOfMetrics(t *testing.T) {
	names := []string{"http_request_duration_seconds", "rpc_duration_seconds", "up"}
	for name, want := range map[string]string{
		"http_requests_duration_seconds": "http_request_duration_seconds",
		"rpc_duration_second":            "rpc_duration_seconds",
		"rcp_duration_seconds":           "rpc_duration_seconds",
		"up":                             "",
		"something_else_altogether":      "",
		"":                               "",
	} {
		if got := nearest.Name(name, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}
