//go:build !linux

package servers

import "syscall"

// tiedToParent leaves the child in the parent's process group, so that an
// interrupt from the terminal ends both. Nothing portable does more.
func tiedToParent() *syscall.SysProcAttr { return nil }
