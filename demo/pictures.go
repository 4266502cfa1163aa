package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timeout-auditor/timeout-auditor/tools/browser"
)

// ripe is how long the demo runs before pictures are taken of it: windows are
// full then, and the history is more than a dot.
const ripe = 3 * time.Minute

// picture is one file of the documentation.
type picture struct {
	file, path string
	scrollTo   string // id of an element; empty: the top
	height     int64
	dark       bool
}

func pictures() []picture {
	return []picture{
		{file: "overview.png", path: "/", height: 1150},
		{file: "dependency.png", path: "/dependencies/" + pagedFor, height: 1330},
		{file: "dependency-dark.png", path: "/dependencies/" + pagedFor, height: 1330, dark: true},
		{file: "what-if.png", path: "/dependencies/catalog-prices?timeout=1s&retries=2", scrollTo: "tradeoff", height: 840},
		{file: "chain.png", path: "/chains/product-page", height: 930},
		{file: "calculators.png", path: "/calc?calculator=fallback&p50=180ms&p99=1.4s&timeout=2s&retries=2&error-ratio=0.004&calls-per-day=400000", height: 860},
	}
}

// takePictures writes the pages of the running auditor as the documentation
// shows them. A page that the browser complains about, or that asks another
// host, is an error.
func (w *watch) takePictures(ctx context.Context) error {
	b, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer b.Stop()
	if err := os.MkdirAll(w.screenshots, 0o755); err != nil {
		return fmt.Errorf("making the directory of the pictures: %w", err)
	}
	for _, p := range pictures() {
		file := filepath.Join(w.screenshots, p.file)
		if err := p.take(b, w.daemon.url, file); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		w.out.say("   %s", file)
	}
	return nil
}

func (p picture) take(b *browser.Browser, url, file string) error {
	const width = 1240
	page, err := b.Open(browser.Visit{URL: url + p.path, Look: browser.Look{Width: width, Height: p.height, Dark: p.dark}})
	if err != nil {
		return err
	}
	defer page.Close()
	if p.scrollTo != "" {
		var there bool
		if err := page.Evaluate(fmt.Sprintf("document.getElementById(%q).scrollIntoView(), true", p.scrollTo), &there); err != nil {
			return err
		}
	}
	png, err := page.Picture()
	if err != nil {
		return err
	}
	if trouble := page.Trouble(); len(trouble) > 0 {
		return fmt.Errorf("the browser complains: %s", strings.Join(trouble, "; "))
	}
	for _, address := range page.Requests() {
		if !strings.HasPrefix(address, url+"/") {
			return fmt.Errorf("the page asks another host: %s", address)
		}
	}
	return os.WriteFile(file, png, 0o644)
}
