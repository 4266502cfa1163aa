package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/demo/workload"
	"github.com/timeout-auditor/timeout-auditor/rules"
	"github.com/timeout-auditor/timeout-auditor/tools/servers"
)

const (
	seriesLimit = time.Minute // until Prometheus has series of every dependency
	seriesEvery = time.Second // between two questions whether it has
)

// stack is everything that the demo starts. start fills it in from top to
// bottom.
type stack struct {
	out   *console
	dir   string // holds all files, and is removed at the end
	stops []func() error

	product      product
	receiver     *receiver
	alertmanager *servers.Process
	prometheus   *servers.Process
	workload     *workload.Workload
	daemon       *daemon
}

// start starts everything. After an error too, stop has to be called.
func (s *stack) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		s.buildServers, s.buildProduct, s.startServers, s.configure, s.startWorkload, s.startDaemon,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// atStop has something done at the end, before all that was asked for earlier.
func (s *stack) atStop(do func() error) { s.stops = append(s.stops, do) }

// stop ends everything that was started, last things first.
func (s *stack) stop() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		errs = append(errs, s.stops[i]())
	}
	s.stops = nil
	return errors.Join(errs...)
}

func (s *stack) buildServers(ctx context.Context) error {
	s.out.begin("Prometheus and Alertmanager, from pinned sources (minutes the first time, then from a cache)")
	return servers.Ensure(ctx, indented{s.out}, "prometheus", "alertmanager")
}

func (s *stack) buildProduct(ctx context.Context) error {
	s.out.begin("timeout-auditor, from this checkout")
	dir, err := os.MkdirTemp("", "timeout-auditor-demo-")
	if err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	s.dir = dir
	s.atStop(func() error { return os.RemoveAll(dir) })
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	s.product = product{binary: binary, config: filepath.Join(dir, "config.yaml")}
	s.out.say("   %s", binary)
	return nil
}

// startServers starts Alertmanager before Prometheus, which tries a failed send
// again only after most of a minute.
func (s *stack) startServers(ctx context.Context) error {
	s.out.begin("Servers, each on a free port")
	var err error
	if s.receiver, err = startReceiver(ctx); err != nil {
		return err
	}
	s.atStop(s.receiver.stop)
	alertmanager, err := render("alertmanager.yml", addresses{Receiver: s.receiver.url})
	if err != nil {
		return err
	}
	s.alertmanager, err = servers.StartAlertmanager(ctx, servers.AlertmanagerOptions{
		Dir: filepath.Join(s.dir, "alertmanager"), Config: alertmanager,
	})
	if err != nil {
		return err
	}
	s.atStop(stopping(s.alertmanager.Stop))
	s.out.say("   Alertmanager %s, notifies this program", s.alertmanager.URL)

	// Without a configuration at first: what to scrape does not run yet.
	s.prometheus, err = servers.StartPrometheus(ctx, servers.PrometheusOptions{Dir: filepath.Join(s.dir, "prometheus")})
	if err != nil {
		return err
	}
	s.atStop(stopping(s.prometheus.Stop))
	s.out.say("   Prometheus   %s, its API: this build has no pages", s.prometheus.URL)
	return nil
}

// configure writes the auditor's configuration and has the product check it and
// make Prometheus's alerting rules from it.
func (s *stack) configure(ctx context.Context) error {
	s.out.begin("Configuration and alerting rules")
	text, err := render("config.yaml", addresses{Prometheus: s.prometheus.URL})
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.product.config, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	s.out.say("   $ timeout-auditor check-config config.yaml")
	said, err := s.product.checkConfig(ctx)
	if err != nil {
		return err
	}
	s.out.quote(said)
	s.out.say("   $ timeout-auditor generate rules --config.file=config.yaml >rules.yaml")
	return s.product.generateRules(ctx, filepath.Join(filepath.Dir(s.prometheus.ConfigFile), "rules.yaml"))
}

// startWorkload starts the calls, has Prometheus scrape them and waits until it
// has series of each. An auditor that asks earlier would rightly say that it
// knows nothing.
func (s *stack) startWorkload(ctx context.Context) error {
	s.out.begin("Callers and callees")
	c, err := config.Load(s.product.config, config.Options{Rules: rules.Codes()})
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	s.workload, err = workload.Start(ctx, workload.Options{Shapes: workload.Shapes(), Dependencies: c.Dependencies, Seed: 1})
	if err != nil {
		return err
	}
	s.atStop(s.workload.Stop)
	if err := s.scrape(ctx, s.workload.Targets()...); err != nil {
		return err
	}
	s.out.say("   $ timeout-auditor check-config --online config.yaml")
	said, err := s.waitForSeries(ctx)
	if err != nil {
		return err
	}
	s.out.quote(said)
	return nil
}

// waitForSeries asks the product whether every query returns series until all
// do, and returns what it said then.
func (s *stack) waitForSeries(ctx context.Context) (said string, err error) {
	limit := time.NewTimer(seriesLimit)
	defer limit.Stop()
	tick := time.NewTicker(seriesEvery)
	defer tick.Stop()
	for {
		said, err := s.product.checkOnline(ctx)
		if err == nil {
			return said, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", ctx.Err()
		case <-limit.C:
			return "", fmt.Errorf("not every dependency has series after %s: %w", seriesLimit, err)
		}
	}
}

func (s *stack) startDaemon(ctx context.Context) error {
	s.out.begin("The auditor")
	s.out.say("   $ timeout-auditor run --config.file=config.yaml")
	d, err := startDaemon(ctx, s.product, filepath.Join(s.dir, "timeout-auditor.log"))
	if err != nil {
		return err
	}
	s.daemon = d
	s.atStop(stopping(d.stop))
	address, err := url.Parse(d.url)
	if err != nil {
		return fmt.Errorf("reading the auditor's address: %w", err)
	}
	targets := append(s.workload.Targets(), workload.Target{Job: "timeout-auditor", Address: address.Host})
	return s.scrape(ctx, targets...)
}

// scrape has Prometheus scrape the targets.
func (s *stack) scrape(ctx context.Context, targets ...workload.Target) error {
	alertmanager, err := url.Parse(s.alertmanager.URL)
	if err != nil {
		return fmt.Errorf("reading Alertmanager's address: %w", err)
	}
	text, err := render("prometheus.yml", addresses{Alertmanager: alertmanager.Host, Targets: targets})
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.prometheus.ConfigFile, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing Prometheus's configuration: %w", err)
	}
	return s.prometheus.Reload(ctx)
}

// stopping turns a stop without an error into one with none.
func stopping(stop func()) func() error {
	return func() error {
		stop()
		return nil
	}
}
