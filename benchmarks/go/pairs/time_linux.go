package pairs

import (
	"syscall"
	"time"
	"unsafe"
)

// clockThread is CLOCK_THREAD_CPUTIME_ID. Getrusage counts in ticks of the kernel, which are longer than a portion takes.
const clockThread = 3

// threadTime is the processor time that this thread has used. The clock would tell what else the machine does, and
// the time of the process what the collector still does in the background about the portion before.
func threadTime() time.Duration {
	var used syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&used)), 0); failed != 0 {
		panic(failed) // Linux has that clock
	}
	return time.Duration(used.Nano())
}
