package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// derived are files that are made from others: paths from the top of the tree,
// with slashes, and their text. patterns match every path that may be among
// them, so that one that is no longer made is found.
type derived struct {
	texts    map[string][]byte
	patterns []string
}

// stale returns the paths whose files are not as they should be: other text,
// missing, or no longer made.
func (d derived) stale(root string) ([]string, error) {
	var paths []string
	for path, text := range d.texts {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if err != nil || string(have) != string(text) {
			paths = append(paths, path)
		}
	}
	left, err := d.left(root)
	if err != nil {
		return nil, err
	}
	paths = append(paths, left...)
	slices.Sort(paths)
	return paths, nil
}

// left returns the files that match a pattern and are not made.
func (d derived) left(root string) ([]string, error) {
	var paths []string
	for _, pattern := range d.patterns {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			path, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			path = filepath.ToSlash(path)
			if _, made := d.texts[path]; !made {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// write makes the tree hold these files and no others that match.
func (d derived) write(root string) error {
	left, err := d.left(root)
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(filepath.Join(root, filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("removing what is no longer made: %w", err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.texts)) {
		file := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, d.texts[path], 0o644); err != nil {
			return err
		}
	}
	return nil
}
