//go:build !linux

package pairs

import "time"

var start = time.Now()

// threadTime is the time on the clock, where that of a thread is not to be had.
func threadTime() time.Duration { return time.Since(start) }
