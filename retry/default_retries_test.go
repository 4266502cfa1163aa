package retry_test

import (
	"strings"
	"testing"

	"github.com/timeout-auditor/timeout-auditor/retry"
)

func TestRetriesNobodyDeclared(t *testing.T) {
	mesh := retry.Policy{Timeout: 1, RetryOnTimeout: true, DefaultRetries: 2, DefaultBy: "Istio"}
	e := mesh.Effective()
	if e.WorstCase != 3 || e.RetryOnTimeout {
		t.Errorf("%d attempts, timeouts retried %t; want 3 after errors alone", e.WorstCase, e.RetryOnTimeout)
	}
	if len(e.Differences) != 1 || e.Differences[0].Code != retry.CodeDefaultRetries || !strings.Contains(e.Differences[0].Why, "Istio retries errors 2 times") {
		t.Errorf("differences %+v", e.Differences)
	}
	mesh.Retries = 1
	if e := mesh.Effective(); e.WorstCase != 2 || !e.RetryOnTimeout || len(e.Differences) != 0 {
		t.Errorf("what is declared counts: %+v", e)
	}
}
