//go:build !linux

package main

import "syscall"

// tiedToParent leaves the auditor in the demo's process group, so that a Ctrl-C
// in the terminal ends both. Nothing portable does more.
func tiedToParent() *syscall.SysProcAttr { return nil }
