package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// Options say what to run.
type Options struct {
	Shapes []Shape
	// Dependencies have the callers, callees and policies of the shapes. A
	// dependency without a shape makes no calls.
	Dependencies []config.Dependency
	Seed         uint64
}

// Workload is a running workload. Stop it when it is no longer needed.
type Workload struct {
	services []*service
	cancel   context.CancelFunc
	stopping chan struct{}
	callers  sync.WaitGroup
}

// Target is a service to scrape.
type Target struct {
	Job, Address string // Address is host:port
}

// Start starts every service and every caller. ctx bounds the start alone.
func Start(ctx context.Context, o Options) (*Workload, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Workload{cancel: cancel, stopping: make(chan struct{})}
	started := time.Now()
	var callers []*caller
	for i, shape := range o.Shapes {
		c, err := w.add(ctx, shape, o, seat{started: started, seed: o.Seed + uint64(i)})
		if err != nil {
			return nil, errors.Join(err, w.Stop())
		}
		callers = append(callers, c)
	}
	for _, c := range callers {
		w.callers.Go(func() { c.run(running) })
	}
	return w, nil
}

// seat is what tells one shape's run from another's.
type seat struct {
	started time.Time
	seed    uint64
}

// add starts the services of one shape and makes its caller.
func (w *Workload) add(ctx context.Context, shape Shape, o Options, at seat) (*caller, error) {
	i := slices.IndexFunc(o.Dependencies, func(d config.Dependency) bool { return d.Name == shape.Dependency })
	if i < 0 {
		return nil, fmt.Errorf("no dependency is named %q", shape.Dependency)
	}
	dependency := o.Dependencies[i]
	from, err := w.service(ctx, dependency.Caller)
	if err != nil {
		return nil, err
	}
	to, err := w.service(ctx, dependency.Callee)
	if err != nil {
		return nil, err
	}
	measures := newMeasures(shape, dependency.Callee, from.registry, to.registry)
	path := "/for/" + shape.Dependency
	to.mux.Handle("GET "+path, &callee{
		shape: shape, measures: measures, seed: at.seed, started: at.started, stopping: w.stopping,
	})
	return &caller{
		shape: shape, policy: dependency.Policy, measures: measures,
		url: "http://" + to.address + path, client: newClient(dependency.Policy), seed: at.seed,
	}, nil
}

// service returns the service of a name, and starts it at first.
func (w *Workload) service(ctx context.Context, name string) (*service, error) {
	for _, s := range w.services {
		if s.name == name {
			return s, nil
		}
	}
	s, err := newService(ctx, name)
	if err != nil {
		return nil, err
	}
	w.services = append(w.services, s)
	return s, nil
}

// Targets lists the services, each under its own name as the job.
func (w *Workload) Targets() []Target {
	targets := make([]Target, len(w.services))
	for i, s := range w.services {
		targets[i] = Target{Job: s.name, Address: s.address}
	}
	return targets
}

// Stop ends all calls and then all services, and returns when they are gone.
// It must be called once.
func (w *Workload) Stop() error {
	w.cancel()
	close(w.stopping)
	w.callers.Wait()
	var errs []error
	for _, s := range w.services {
		errs = append(errs, s.stop())
	}
	return errors.Join(errs...)
}
