package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrNoBrowser says that the machine has no Chromium.
var ErrNoBrowser = errors.New("no chromium on this machine: apt-get install chromium, or put chromium or google-chrome on the PATH")

// names are what Chromium is called, in the order to try them.
func names() []string {
	return []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}
}

// Browser is a running Chromium without windows.
type Browser struct {
	ctx  context.Context //nolint:containedctx // the browser's own, as chromedp has it
	stop func()
}

// start bounds how long Chromium takes to come up on a busy machine.
const start = time.Minute

// Start starts a Chromium with a profile of its own, which ends with ctx or
// Stop. The error is ErrNoBrowser where there is none.
func Start(ctx context.Context) (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // it opens our own pages alone, often as root in a container
		chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("font-render-hinting", "none"), // pictures alike on all machines
		chromedp.WSURLReadTimeout(start),
	)
	allocated, release := chromedp.NewExecAllocator(ctx, options...)
	// A newer Chromium says things that chromedp does not know: no reason to speak.
	silent := func(string, ...any) {}
	browser, closeBrowser := chromedp.NewContext(allocated, chromedp.WithErrorf(silent), chromedp.WithLogf(silent))
	if err := chromedp.Do(browser); err != nil {
		closeBrowser()
		release()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return &Browser{ctx: browser, stop: func() { closeBrowser(); release() }}, nil
}

// Stop ends the browser and removes its profile.
func (b *Browser) Stop() { b.stop() }

func find() (string, error) {
	for _, name := range names() {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}
