package promquery

import (
	"fmt"
	"strings"
	"sync"

	"github.com/timeout-auditor/timeout-auditor/config"
)

// planner keeps from cycle to cycle what does not change between them: the
// selectors taken apart, the parsed expressions of the configuration, and how
// much a server takes at once.
type planner struct {
	sizes  sizes
	limits limits

	mu         sync.Mutex
	generation int
	targets    map[string]*kept[*target]
	own        map[string]*kept[[]asked]
}

// kept is something with the generation that last used it.
type kept[T any] struct {
	value T
	used  int
}

func newPlanner() *planner {
	return &planner{
		sizes:   sizes{byShape: map[shape]extent{}},
		limits:  limits{most: map[alike]int{}},
		targets: map[string]*kept[*target]{},
		own:     map[string]*kept[[]asked]{},
	}
}

func (p *planner) target(dep *config.Dependency) *target {
	var key strings.Builder
	l := dep.Latency
	for _, text := range []string{l.Histogram, l.Kind, l.ReplicaLabel} {
		key.WriteString(text + tupleEnd)
	}
	for _, m := range l.Matchers {
		key.WriteString(m.Name + tupleEnd + m.Type.String() + m.Value + tupleEnd)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.targets[key.String()]
	if k == nil {
		k = &kept[*target]{value: newTarget(l, &p.sizes)}
		p.targets[key.String()] = k
	}
	k.used = p.generation
	return k.value
}

// configured returns the dependency's own expressions, parsed once.
func (p *planner) configured(dep *config.Dependency) ([]asked, *Error) {
	if dep.ErrorRatio.Query == "" && dep.Observed == (config.Observed{}) && len(dep.Latency.Quantiles) == 0 {
		return nil, nil
	}
	texts := []string{dep.Window.String(), dep.ErrorRatio.Query, dep.Observed.Attempts, dep.Observed.Timeouts, dep.Observed.Retries, dep.Observed.Calls, dep.Observed.Fallbacks}
	for _, q := range dep.Latency.Quantiles {
		texts = append(texts, fmt.Sprint(q.P, dep.Latency.UnitScale), q.Query)
	}
	key := strings.Join(texts, tupleEnd)
	p.mu.Lock()
	k := p.own[key]
	if k != nil {
		k.used = p.generation
	}
	p.mu.Unlock()
	if k != nil {
		return k.value, nil
	}
	own, err := configured(*dep)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own[key] = &kept[[]asked]{value: own, used: p.generation}
	return own, nil
}

// keptFor is how many cycles something unused is kept.
const keptFor = 3

// cycleBegan drops what the last cycles did not use.
func (p *planner) cycleBegan() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.generation++
	sweep(p.targets, p.generation-keptFor)
	sweep(p.own, p.generation-keptFor)
}

func sweep[T any](all map[string]*kept[T], oldest int) {
	for key, k := range all {
		if k.used < oldest {
			delete(all, key)
		}
	}
}
