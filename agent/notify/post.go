package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxReasonBytes bounds how much of a refusal is read and logged.
const maxReasonBytes = 512

// refusal is an answer other than success.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%d %s: %s", r.status, http.StatusText(r.status), r.reason), ": ")
}

// ofContent says that the alerts themselves were refused: others may be taken.
// Any other refusal is of the sender, the path or the moment.
func (r *refusal) ofContent() bool {
	switch r.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// post sends alerts in one request. The error is a *refusal, or says why there
// was no answer.
func (t *target) post(ctx context.Context, alerts []Alert) error {
	body, err := json.Marshal(alerts)
	if err != nil {
		return fmt.Errorf("encode alerts: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make a request to %s: %w", t.endpoint, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return err // names the method and the address
	}
	defer resp.Body.Close()
	// What cannot be read of a reason is only missing from the log.
	reason, _ := io.ReadAll(io.LimitReader(resp.Body, maxReasonBytes))
	if resp.StatusCode/100 != 2 {
		return &refusal{resp.StatusCode, strings.Join(strings.Fields(string(reason)), " ")}
	}
	return nil
}
