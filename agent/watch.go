package agent

import (
	"context"
	"crypto/sha256"
	"time"
)

// settleTime is how long a changed file must stay as it is before it is read:
// an editor may be in the middle of writing it, and half a file can be a valid
// configuration without half of the dependencies.
const settleTime = time.Second

// fingerprint stands for what a configuration file holds. The zero value is
// that of a file that cannot be read, which is a state of its own.
type fingerprint [sha256.Size]byte

// look takes the fingerprint of the file as it is now.
func (a *Agent) look() fingerprint {
	if a.options.Read == nil {
		return fingerprint{}
	}
	data, err := a.options.Read()
	if err != nil {
		return fingerprint{}
	}
	return sha256.Sum256(data)
}

// ReloadOnChange looks at the configuration file every interval until ctx ends,
// and reloads once its content is another and has settled. Content counts, not
// the time of change, so the swapped link of a mounted ConfigMap is seen and a
// file that was only touched is not. A file that does not load is tried, and
// reported, once.
func (a *Agent) ReloadOnChange(ctx context.Context, interval time.Duration) {
	for wait(ctx, interval) {
		seen := a.look()
		if seen == a.lastTried() || !wait(ctx, min(settleTime, interval)) || a.look() != seen {
			continue
		}
		_ = a.Reload() // which logs what became of it
	}
}

// wait returns false when ctx ends first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// lastTried is the fingerprint of the content that was last loaded, or last
// failed to.
func (a *Agent) lastTried() fingerprint {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	return a.tried
}
