package main

import (
	"net/http"
	"strings"
	"testing"
)

func post(t *testing.T, r *receiver, body string) int {
	t.Helper()
	response, err := http.Post(r.url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func TestReceiverHandsOnEveryAlertAndAnswersThen(t *testing.T) {
	r, err := startReceiver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	}()
	status := make(chan int, 1)
	go func() {
		status <- post(t, r, `{"version": "4", "alerts": [
			{"status": "firing", "labels": {"alertname": "TimeoutBelowP99", "dependency": "a-b"}, "annotations": {"description": "4%"}},
			{"status": "resolved", "labels": {"alertname": "NoTimeout"}}]}`)
	}()
	first := <-r.alerts
	if !first.firing() || first.name() != "TimeoutBelowP99" || first.dependency() != "a-b" || first.Annotations["description"] != "4%" {
		t.Errorf("received %+v", first)
	}
	select {
	case code := <-status:
		t.Errorf("answered %d before the second alert was taken", code)
	default:
	}
	if second := <-r.alerts; second.firing() || second.name() != "NoTimeout" {
		t.Errorf("received %+v", second)
	}
	if code := <-status; code != http.StatusOK {
		t.Errorf("answered %d", code)
	}
}

func TestReceiverRefusesWhatIsNoMessage(t *testing.T) {
	r, err := startReceiver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"no JSON": "{", "too long": `{"x": "` + strings.Repeat("y", maxMessage) + `"}`} {
		if code := post(t, r, body); code != http.StatusBadRequest {
			t.Errorf("%s: answered %d, want 400", name, code)
		}
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if response, err := http.Get(r.url); err == nil {
		response.Body.Close()
		t.Error("it answers after its end")
	}
}
