package promquery

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/timeout-auditor/timeout-auditor/latency"
)

// ask sends a query: a range query where it has a step, else an instant one,
// at its End or else at the given moment.
func (s *sender) ask(ctx context.Context, q latency.Query, at time.Time) (reply, *Error) {
	r := whole()
	notes, err := s.route(ctx, q, at, r)
	if err != nil {
		return reply{}, err
	}
	return reply{value: r.answer(""), notes: notes}, nil
}

// instant asks for one moment.
func (s *sender) instant(ctx context.Context, q latency.Query, at time.Time) (reply, *Error) {
	q.Step = 0
	return s.ask(ctx, q, at)
}

// route sends a query and has its answer sorted while it comes. It returns what
// the server remarked about it.
func (s *sender) route(ctx context.Context, q latency.Query, at time.Time, r *router) ([]string, *Error) {
	endpoint, form := s.form(q, at)
	var (
		notes   []string
		missing string
	)
	err := s.patiently(ctx, q, func(ctx context.Context) error {
		e, err := s.post(ctx, endpoint, form, r)
		notes = nil
		for _, remark := range slices.Concat(e.warnings, e.infos) {
			notes = append(notes, line(remark))
		}
		missing = leftOut(e.warnings)
		if e.partial {
			missing = "it says so itself (isPartial)"
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case missing != "":
		return nil, partial(q, missing)
	}
	return notes, nil
}

// form is the request for a query. Thanos would answer without the stores that
// are away unless told not to; others do not know the parameter.
func (s *sender) form(q latency.Query, at time.Time) (endpoint string, form url.Values) {
	form = url.Values{"query": {q.Text()}, "timeout": {s.timeout.String()}, "partial_response": {"false"}}
	if q.Step > 0 {
		form.Set("start", unixTime(q.Start))
		form.Set("end", unixTime(q.End))
		form.Set("step", strconv.FormatFloat(q.Step.Seconds(), 'f', -1, 64))
		return "query_range", form
	}
	if !q.End.IsZero() {
		at = q.End
	}
	form.Set("time", unixTime(at))
	return "query", form
}

func unixTime(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1e3, 'f', -1, 64)
}

// post makes one request. Servers and proxies that refuse POST are asked by GET.
func (s *sender) post(ctx context.Context, endpoint string, form url.Values, r *router) (envelope, error) {
	r.reset()
	address := s.base.JoinPath("api/v1", endpoint)
	body := form.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), strings.NewReader(body))
	if err != nil {
		return envelope{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header["Idempotency-Key"] = nil // lets the transport try again on a connection that turns out dead
	resp, err := s.http.Do(req)
	if err != nil {
		return envelope{}, err
	}
	if slices.Contains([]int{http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented}, resp.StatusCode) {
		_ = resp.Body.Close()
		address.RawQuery = body
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil); err != nil {
			return envelope{}, err
		}
		if resp, err = s.http.Do(req); err != nil {
			return envelope{}, err
		}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return envelope{}, refusal(resp)
	}
	e, err := decode(resp.Body, r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body) // so that the connection is used again
	}
	return e, e.problem(err)
}

// problem is what is wrong with a reply of status 200.
func (e envelope) problem(err error) error {
	var bad *badJSON
	switch {
	case e.status == "error":
		return &v1.Error{Type: v1.ErrorType(e.errorType), Msg: e.message}
	case errors.As(err, &bad):
		return &v1.Error{Type: v1.ErrBadResponse, Msg: bad.Error()}
	case err != nil:
		return err
	case !e.answered:
		return &v1.Error{Type: v1.ErrBadResponse, Msg: "no result in it"}
	}
	return nil
}

// longestRefusal bounds what is read of a reply that says no.
const longestRefusal = 64 << 10

// refusal is the error of a reply whose status is no success.
func refusal(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestRefusal))
	if err != nil {
		return err
	}
	e := &v1.Error{Type: v1.ErrServer, Detail: string(body)}
	if resp.StatusCode/100 == 4 {
		e.Type = v1.ErrClient
	}
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity {
		var said struct {
			ErrorType v1.ErrorType `json:"errorType"`
			Error     string       `json:"error"`
		}
		if json.Unmarshal(body, &said) == nil && said.ErrorType != "" {
			e.Type, e.Msg = said.ErrorType, said.Error
		}
	}
	return e
}
