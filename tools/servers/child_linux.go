package servers

import "syscall"

// tiedToParent has the kernel kill the child when the thread that started it
// ends. A process group of its own keeps a Ctrl-C in the terminal for the
// parent, which then stops its children in order.
func tiedToParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
