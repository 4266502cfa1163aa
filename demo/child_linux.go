package main

import "syscall"

// tiedToParent has the kernel end the auditor when the demo is killed, and
// keeps a Ctrl-C in the terminal for the demo, which then stops all in order.
func tiedToParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
