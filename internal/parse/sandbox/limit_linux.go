package sandbox

import (
	"runtime/debug"
	"syscall"
)

// rlimitData is RLIMIT_DATA: private writable memory. RLIMIT_AS would count
// the address space that Go and WebAssembly only reserve.
const rlimitData = 2

// limitMemory bounds this process. Go collects harder as it nears the limit;
// past it the kernel refuses memory and the process ends. Zero is no limit,
// and a limit that cannot be set leaves the process as it was.
func limitMemory(bytes int64) {
	if bytes <= 0 {
		return
	}
	debug.SetMemoryLimit(bytes / 2)
	_ = syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
}
