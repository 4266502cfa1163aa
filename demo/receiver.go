package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// alert is one alert of an Alertmanager's webhook message.
type alert struct {
	Status      string            `json:"status"` // firing or resolved
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func (a alert) name() string       { return a.Labels["alertname"] }
func (a alert) dependency() string { return a.Labels["dependency"] }
func (a alert) firing() bool       { return a.Status == "firing" }

// receiver stands where a pager would: it takes what Alertmanager sends.
type receiver struct {
	url    string
	alerts chan alert
	server *http.Server
	served chan struct{}
}

// maxMessage bounds a webhook message, in bytes.
const maxMessage = 1 << 20

func startReceiver(ctx context.Context) (*receiver, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the receiver of alerts: %w", err)
	}
	r := &receiver{
		url:    "http://" + listener.Addr().String() + "/alerts",
		alerts: make(chan alert),
		served: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /alerts", r.receive)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_ = r.server.Serve(listener) // until stop
		close(r.served)
	}()
	return r, nil
}

// receive hands the alerts of a message on. It answers when they have been
// taken, so that none is lost: Alertmanager sends again what was not answered.
func (r *receiver) receive(w http.ResponseWriter, request *http.Request) {
	var message struct {
		Alerts []alert `json:"alerts"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, request.Body, maxMessage)).Decode(&message); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, a := range message.Alerts {
		select {
		case r.alerts <- a:
		case <-request.Context().Done():
			return
		}
	}
}

func (r *receiver) stop() error {
	err := r.server.Close()
	<-r.served
	return err
}
