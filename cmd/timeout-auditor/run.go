package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	toolkit "github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/timeout-auditor/timeout-auditor/agent"
	"github.com/timeout-auditor/timeout-auditor/agent/metrics"
	"github.com/timeout-auditor/timeout-auditor/agent/notify"
	"github.com/timeout-auditor/timeout-auditor/agent/web"
	"github.com/timeout-auditor/timeout-auditor/config"
	"github.com/timeout-auditor/timeout-auditor/promquery"
)

// shutdownTimeout bounds how long open requests may go on after SIGTERM.
const shutdownTimeout = 5 * time.Second

// runFlags are the flags of the daemon.
type runFlags struct {
	config                       string
	toolkit                      *toolkit.FlagConfig
	externalURL, routePrefix     string
	enableLifecycle, enablePprof bool
	runbooks                     string
	queueCapacity                int
	autoReload                   time.Duration
}

func runCommand(app *kingpin.Application, logging *promslog.Config) action {
	var flags runFlags
	command := app.Command("run", "Run the daemon: audit on a schedule and export metrics.").Default()
	configFile := configFlag(command)
	command.Flag("config.auto-reload-interval", "How often to look whether the configuration file has another content, and to reload it then. 0 turns this off.").
		Default("30s").DurationVar(&flags.autoReload)
	flags.toolkit = kingpinflag.AddFlags(command, ":10815")
	command.Flag("web.external-url", "The URL under which users reach the daemon, for links.").StringVar(&flags.externalURL)
	command.Flag("web.route-prefix", "Path before every route; the path of --web.external-url by default.").StringVar(&flags.routePrefix)
	command.Flag("web.enable-lifecycle", "Allow POST /-/reload.").BoolVar(&flags.enableLifecycle)
	command.Flag("web.enable-pprof", "Serve /debug/pprof/.").BoolVar(&flags.enablePprof)
	command.Flag("runbook-url", "Where the runbook pages are that pushed alerts lead to.").Default(runbookPages).StringVar(&flags.runbooks)
	command.Flag("alertmanager.notification-queue-capacity", "Alerts that may wait for each Alertmanager.").
		Default(strconv.Itoa(notify.DefaultQueueCapacity)).IntVar(&flags.queueCapacity)
	return func(ctx context.Context, c console) int {
		flags.config = *configFile
		return runDaemon(ctx, flags, promslog.New(logging), c)
	}
}

// runDaemon binds first, so that a port that is taken is known before anything
// is reported as started, and serves until ctx ends.
func runDaemon(ctx context.Context, flags runFlags, logger *slog.Logger, c console) int {
	prefix, err := routePrefix(flags.externalURL, flags.routePrefix)
	if err != nil {
		fmt.Fprintf(c.stderr, "timeout-auditor: %v\n", err)
		return exitUsage
	}
	flags.routePrefix = prefix
	agent.CollectEarly()
	registry := newRegistry()
	onQuery := agent.QueryMetrics(registry)
	daemon, err := agent.New(agent.Options{
		Load: func() (*config.Config, error) { return loadConfig(flags.config) },
		Read: func() ([]byte, error) { return os.ReadFile(flags.config) },
		Connect: func(p config.Prometheus) (agent.Observer, error) {
			return promquery.New(promquery.Options{Prometheus: p, UserAgent: userAgent(), OnQuery: onQuery})
		},
		Logger: logger, Registerer: registry, Jitter: jitter(),
		Notify: notify.Options{
			UserAgent: userAgent(), ExternalURL: pagesURL(flags), RunbookURL: flags.runbooks, QueueCapacity: flags.queueCapacity,
		},
	})
	if err != nil {
		fmt.Fprintln(c.stderr, err)
		return exitUsage
	}
	collector := metrics.NewCollector(daemon.Report, time.Now)
	logger.Info("Starting timeout-auditor", "version", version.Info(), "build_context", version.BuildContext())
	return serve(ctx, flags, daemon, collector.Handler(registry), logger)
}

// serve runs the HTTP server and the agent until ctx ends or serving fails.
func serve(ctx context.Context, flags runFlags, daemon *agent.Agent, exposition http.Handler, logger *slog.Logger) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var listening atomic.Bool
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: web.NewHandler(web.Options{
			Report: daemon.Report, Reload: daemon.Reload, Refused: daemon.Refused, Ready: listening.Load,
			Metrics: exposition,
			Now:     time.Now, Logger: logger, Version: version.Info(),
			RoutePrefix: flags.routePrefix, LinkPrefix: linkPrefix(flags),
			EnableLifecycle: flags.enableLifecycle, EnablePprof: flags.enablePprof,
			PrometheusURL: func() string { return daemon.Config().Prometheus.ExternalURL }, Runbooks: runbookPages,
			History: daemon.History, Backtest: daemon.PageBacktest,
		}),
	}
	listeners, err := listen(ctx, flags.toolkit)
	if err != nil {
		logger.Error("Cannot listen", "err", err)
		return exitFailed
	}
	served := make(chan error, 1)
	go func() { served <- toolkit.ServeMultiple(listeners, server, flags.toolkit, logger) }()

	var running sync.WaitGroup
	running.Go(func() { daemon.Run(ctx) })
	running.Go(func() { reloadOnHangup(ctx, daemon) })
	if flags.autoReload > 0 {
		running.Go(func() { daemon.ReloadOnChange(ctx, flags.autoReload) })
	}
	listening.Store(true)

	code := exitOK
	select {
	case <-ctx.Done():
		logger.Info("Shutting down")
	case err := <-served:
		logger.Error("Cannot serve", "err", err)
		code = exitFailed
	}
	listening.Store(false)
	cancel()
	running.Wait()
	shutdown, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer done()
	if err := server.Shutdown(shutdown); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("Shutdown was not clean", "err", err)
	}
	return code
}

func listen(ctx context.Context, flags *toolkit.FlagConfig) ([]net.Listener, error) {
	var listeners []net.Listener
	for _, address := range *flags.WebListenAddresses {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			for _, open := range listeners {
				open.Close()
			}
			return nil, err
		}
		listeners = append(listeners, listener)
	}
	return listeners, nil
}

// reloadOnHangup reloads at each SIGHUP; the agent logs what became of it.
func reloadOnHangup(ctx context.Context, daemon *agent.Agent) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			_ = daemon.Reload()
		}
	}
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		versioncollector.NewCollector("timeout_auditor"),
	)
	return registry
}

// routePrefix is what comes before every path: "" or "/x".
func routePrefix(externalURL, given string) (string, error) {
	prefix := given
	if prefix == "" && externalURL != "" {
		external, err := parseExternalURL(externalURL)
		if err != nil {
			return "", err
		}
		prefix = external.Path
	}
	if strings.ContainsAny(prefix, "{} ?#") {
		return "", fmt.Errorf("--web.route-prefix: must be a plain path such as /timeouts, got %q", prefix)
	}
	prefix = strings.Trim(prefix, "/")
	if prefix == "" {
		return "", nil
	}
	return "/" + prefix, nil
}

// linkPrefix is what comes before every path in a browser: where a proxy takes
// the path of the external URL away, that is another one than before the routes.
func linkPrefix(flags runFlags) string {
	if external, err := parseExternalURL(flags.externalURL); err == nil {
		return strings.TrimSuffix(external.EscapedPath(), "/")
	}
	return flags.routePrefix
}

// jitter is the same at each start of one instance and differs between hosts,
// so that auditors do not ask all at once.
func jitter() float64 {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	hash := fnv.New32a()
	hash.Write([]byte(host))
	return float64(hash.Sum32()) / (1 << 32)
}

func userAgent() string { return "timeout-auditor/" + version.Version }

// pagesURL is where pushed alerts lead to: --web.external-url, or this host and
// the first port that the daemon listens on.
func pagesURL(flags runFlags) string {
	if flags.externalURL != "" {
		return flags.externalURL
	}
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	for _, address := range *flags.toolkit.WebListenAddresses {
		if _, port, err := net.SplitHostPort(address); err == nil {
			return "http://" + net.JoinHostPort(host, port) + flags.routePrefix
		}
	}
	return ""
}

func parseExternalURL(text string) (*url.URL, error) {
	external, err := url.Parse(text)
	if err != nil || external.Host == "" || external.Scheme != "http" && external.Scheme != "https" {
		return nil, fmt.Errorf("--web.external-url: must be an http or https URL with a host, got %q", text)
	}
	return external, nil
}
