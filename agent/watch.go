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
// file that was only touched is not. A file that does not load is tried again,
// since a certificate that it names may be late, and reported once.
func (a *Agent) ReloadOnChange(ctx context.Context, interval time.Duration) {
	for wait(ctx, interval) {
		seen := a.look()
		if a.inForce(seen) || !wait(ctx, min(settleTime, interval)) || a.look() != seen {
			continue
		}
		_ = a.reload(false) // which logs what became of it
	}
}

// inForce says that what the file holds is what the agent runs on.
func (a *Agent) inForce(seen fingerprint) bool {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	return seen == a.tried && a.refused == ""
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
