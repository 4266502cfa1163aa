package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Visit is a page and how to look at it.
type Visit struct {
	URL       string
	Look      Look
	NoScripts bool
}

// Look is how a page is looked at.
type Look struct {
	Width, Height int64 // of the window, in CSS pixels
	Dark          bool  // the system prefers dark
}

// Page is an open page.
type Page struct {
	ctx   context.Context //nolint:containedctx // the tab's own, as chromedp has it
	close func()

	mutex    sync.Mutex
	requests []string
	trouble  []string
}

// patience bounds everything that is asked of a page.
const patience = 30 * time.Second

// Open opens a page and waits until it has loaded.
func (b *Browser) Open(v Visit) (*Page, error) {
	tab, closeTab := chromedp.NewContext(b.ctx)
	p := &Page{ctx: tab, close: closeTab}
	err := chromedp.Listen(tab, p.hear)
	if err == nil {
		err = p.visit(v)
	}
	if err != nil {
		closeTab()
		return nil, fmt.Errorf("opening %s: %w", v.URL, err)
	}
	return p, nil
}

// visit sets the page up as the visit says, and only then goes there.
func (p *Page) visit(v Visit) error {
	err := p.within(func(ctx context.Context) error {
		_, network := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		_, log := chromedp.Call(ctx, log.Enable, cdp.Empty{})
		_, runtime := chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
		_, scripts := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.NoScripts})
		return errors.Join(network, log, runtime, scripts)
	})
	if err == nil {
		err = p.Look(v.Look)
	}
	if err != nil {
		return err
	}
	return p.within(func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.Navigate(v.URL)) })
}

// Look changes how the page is looked at, without loading it again.
func (p *Page) Look(l Look) error {
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	return p.within(func(ctx context.Context) error {
		_, media := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		_, size := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: l.Width, Height: l.Height, DeviceScaleFactor: 1,
		})
		return errors.Join(media, size)
	})
}

// Close closes the page.
func (p *Page) Close() { p.close() }

// Requests are the addresses that the page asked for so far, its own first.
func (p *Page) Requests() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.requests)
}

// Trouble is what the console complained about so far: errors, warnings, what
// was blocked or missing.
func (p *Page) Trouble() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.trouble)
}

// Evaluate runs an expression in the page and reads its result, awaited where it
// is a promise, into a pointer.
func (p *Page) Evaluate(expression string, into any) error {
	err := p.within(func(ctx context.Context) error {
		result, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
		if err != nil {
			return err
		}
		return json.Unmarshal(result, into)
	})
	if err != nil {
		return fmt.Errorf("evaluating %.60q: %w", expression, err)
	}
	return nil
}

// Picture is the window as a PNG.
func (p *Page) Picture() (png []byte, err error) {
	err = p.within(func(ctx context.Context) (err error) {
		png, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("taking a picture: %w", err)
	}
	return png, nil
}

func (p *Page) within(work func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return work(ctx)
}

func (p *Page) hear(event any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		p.trouble = append(p.trouble, fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventExceptionThrown:
		p.trouble = append(p.trouble, "exception: "+e.ExceptionDetails.Text+" "+words([]*runtime.RemoteObject{e.ExceptionDetails.Exception}))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			p.trouble = append(p.trouble, "console "+string(e.Type)+": "+words(e.Args))
		}
	}
}

func words(args []*runtime.RemoteObject) string {
	said := make([]string, len(args))
	for i, arg := range args {
		if arg == nil {
			continue
		}
		if said[i] = arg.Description; said[i] == "" {
			said[i] = strings.Trim(string(arg.Value), `"`)
		}
	}
	return strings.Join(said, " ")
}
