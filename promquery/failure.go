package promquery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

// failure is all that is known about a query that was not answered.
type failure struct {
	sender   *sender
	exchange *exchange
	err      error // without the request's URL
	caller   error // why the caller's context ended
	deadline error // of the query's own context
}

// explain says what became of the query, and for a person what to do about it.
func (f failure) explain() (Outcome, string) {
	var apiErr *v1.Error
	switch {
	case f.exchange.tooLarge.Load():
		return OutcomeTooLarge, fmt.Sprintf("the reply is larger than %s: narrow the selector, or aggregate", size(f.sender.maxSize))
	case f.caller != nil || f.deadline != nil:
		return f.late()
	case errors.As(f.err, &apiErr):
		return f.answered(apiErr)
	default:
		return f.broken()
	}
}

// late explains a query that the caller or the clock ended.
func (f failure) late() (Outcome, string) {
	s := f.sender
	var blackout *Error
	switch {
	case errors.As(f.caller, &blackout):
		return Outcome(blackout.Kind), "given up: " + blackout.Message
	case errors.Is(f.caller, context.Canceled):
		return OutcomeCanceled, "stopped before the answer came"
	case f.caller != nil:
		return OutcomeTimeout, "the time for the whole cycle ran out before the answer came"
	case !f.exchange.connected.Load():
		return OutcomeUnreachable, fmt.Sprintf("no connection to %s within %s: is it up, and does the network let packets through?", s.server, s.timeout)
	}
	return OutcomeTimeout, fmt.Sprintf("no whole answer from %s within %s: raise prometheus.query_timeout, or find out why this query is slow there", s.server, s.timeout)
}

// answered explains a reply whose status or content is not that of a success.
func (f failure) answered(e *v1.Error) (Outcome, string) {
	s, status := f.sender, int(f.exchange.status.Load())
	switch {
	case status == 401 || status == 403:
		return OutcomeUnauthorized, fmt.Sprintf("%s does not let us in (%d): check the credentials under prometheus", s.server, status)
	case status == 429:
		return OutcomeThrottled, fmt.Sprintf("%s asks for fewer queries (429): lower prometheus.max_concurrent_queries or run less often", s.server)
	case status/100 == 3:
		return OutcomeUnreachable, fmt.Sprintf("%s redirects (%d) and follow_redirects is off: set prometheus.url to where it leads", s.server, status)
	case status == 404 || status == 405:
		return OutcomeMalformed, fmt.Sprintf("%s has no Prometheus API (%d): is the path in prometheus.url right?", s.server, status)
	case e.Type == v1.ErrBadResponse:
		return OutcomeMalformed, f.malformed(e)
	}
	kind, text := serverWords(e)
	switch kind {
	case v1.ErrTimeout:
		return OutcomeTimeout, fmt.Sprintf("%s ran out of time: %s", s.server, text)
	case v1.ErrBadData, v1.ErrExec, "400", "422":
		return OutcomeBadQuery, fmt.Sprintf("%s does not accept the query: %s", s.server, text)
	}
	return OutcomeServerError, fmt.Sprintf("%s failed (%d): %s", s.server, status, text)
}

func (f failure) malformed(e *v1.Error) string {
	if strings.Contains(f.exchange.mediaType(), "html") {
		return fmt.Sprintf("%s answered with a web page, not with the Prometheus API: is prometheus.url right, and is a login proxy in front of it?", f.sender.server)
	}
	return fmt.Sprintf("%s answered with something that is not the JSON of the Prometheus API, or cut short: %s", f.sender.server, line(e.Msg))
}

// serverWords returns the error type and text of a reply. Statuses other than
// 400 and 422 leave the JSON unread in Detail.
func serverWords(e *v1.Error) (v1.ErrorType, string) {
	var body struct {
		ErrorType v1.ErrorType `json:"errorType"`
		Error     string       `json:"error"`
	}
	if json.Unmarshal([]byte(e.Detail), &body) == nil && body.Error != "" {
		return body.ErrorType, line(body.Error)
	}
	if e.Type == v1.ErrServer || e.Type == v1.ErrClient || e.Msg == "" {
		return e.Type, "it gave no reason" // the message only repeats the status
	}
	return e.Type, line(e.Msg)
}

// broken explains a connection that failed.
func (f failure) broken() (Outcome, string) {
	s := f.sender
	cause := f.err
	var (
		redirect *redirectError
		unknown  *net.DNSError
		cert     *tls.CertificateVerificationError
		name     x509.HostnameError
	)
	switch {
	case errors.As(cause, &redirect):
		return OutcomeUnreachable, fmt.Sprintf("%s %v; set prometheus.url to the final address, or give credentials if that is a login page", s.server, redirect)
	case errors.As(cause, &unknown):
		return OutcomeUnreachable, fmt.Sprintf("the host of %s is unknown: is prometheus.url right? (%s)", s.server, line(cause.Error()))
	case errors.As(cause, &cert), errors.As(cause, &name):
		return OutcomeUnreachable, fmt.Sprintf("the certificate of %s is not accepted: set tls_config.ca_file or server_name (%s)", s.server, line(cause.Error()))
	case f.exchange.status.Load() != 0:
		return OutcomeMalformed, fmt.Sprintf("the reply of %s was cut short (%s)", s.server, line(cause.Error()))
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		return OutcomeUnreachable, fmt.Sprintf("%s closed the connection without an answer: is it restarting, or is this not an HTTP port?", s.server)
	}
	return OutcomeUnreachable, fmt.Sprintf("cannot reach %s: is it running, and is prometheus.url right? (%s)", s.server, line(cause.Error()))
}

// withoutURL unwraps the error of an HTTP request, whose URL may hold what must
// not be shown.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// longestLine bounds foreign text in our messages.
const longestLine = 300

// line makes foreign text fit for one line of a log: its first line, without
// control characters and the credentials of a URL, cut where it is long.
func line(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = regexp.MustCompile(`://[^/\s]*@`).ReplaceAllLiteralString(text, "://")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > longestLine {
		text = string(runes[:longestLine]) + "…"
	}
	return text
}

// plainURL is the URL without user, password, query and fragment.
func plainURL(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return plain.String()
}

func size(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// age prints a length of time as people say it.
func age(d time.Duration) string { return d.Round(time.Second).String() }
