package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files beside the pages, by name.
type assets map[string]asset

type asset struct {
	content []byte
	kind    string // media type
	version string // changes with the content
}

func loadAssets() assets {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	all := assets{}
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // embedded
	}
	for _, entry := range entries {
		content, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err) // embedded
		}
		sum := sha256.Sum256(content)
		all[entry.Name()] = asset{content, kinds[path.Ext(entry.Name())], hex.EncodeToString(sum[:6])}
	}
	return all
}

func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if _, err := w.Write(a.content); err != nil {
		s.Logger.Debug("File not sent whole", "err", err)
	}
}

// address is where pages find a file.
func (s *site) address(file string) string {
	return fmt.Sprintf("%s/assets/%s?v=%s", s.links.prefix, file, s.assets[file].version)
}
