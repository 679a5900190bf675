//go:build !linux

package sandbox

import "runtime/debug"

// limitMemory makes Go collect harder near the limit; only Linux has one that
// is enforced.
func limitMemory(bytes int64) {
	if bytes > 0 {
		debug.SetMemoryLimit(bytes)
	}
}
