package config

import "time"

// maxLayers bounds a list that people write by hand.
const maxLayers = 10

// maxCallAttempts is how many attempts the layers of one call may multiply to:
// as many as retries may ask for alone.
const maxCallAttempts = 101

func layersField() field[Policy] {
	return field[Policy]{
		name: "layers", kind: "list", absent: "none", example: "[{name: client library, attempts: 3}]",
		means: "Places below this policy that retry as well, outer to inner: a client library, a mesh. Each of their attempts is one attempt of the layer above, so attempts multiply, at most to 101 with `retries`.",
		read:  readLayers,
		keys:  func() []keyInfo { return inList(describe(layerFields())) },
	}
}

func layerFields() []field[Layer] {
	return []field[Layer]{
		{name: "name", kind: "text", absent: "required", example: "mesh",
			means: "What the report calls the layer.",
			read:  name(func(l *Layer) *string { return &l.Name })},
		{name: "attempts", kind: "whole number", initial: "1", example: "2",
			means: "Attempts, the first one included. 1 to 101.",
			read:  whole(limits{min: 1, max: maxCallAttempts}, func(l *Layer) *int { return &l.Attempts })},
		{name: "timeout", kind: "duration", absent: "none", example: "500ms",
			means: "Timeout of each of its attempts. Above 0, at most 24h. Of all layers the shortest wins.",
			read:  duration(attempt(), func(l *Layer) *time.Duration { return &l.Timeout })},
	}
}

func readLayers(v value, p *Policy) {
	items, ok := v.items()
	if !ok {
		return
	}
	if len(items) > maxLayers {
		v.refuse("must hold at most %d layers, got %d", maxLayers, len(items))
		return
	}
	p.Layers = nil
	for _, item := range items {
		var l Layer
		fillInitial(layerFields(), &l)
		if isNull(item.node) || !readMapping(item, layerFields(), &l) {
			if isNull(item.node) {
				item.refuse("must be a mapping of keys to values%s", item.got())
			}
			continue
		}
		if _, set := v.seen[item.path+".name"]; !set {
			v.problem(item.line, item.path+".name", "is missing; every layer needs one, such as mesh")
		}
		p.Layers = append(p.Layers, l)
	}
}

// checkLayers refuses attempts that multiply beyond all sense.
func (s scope) checkLayers(p Policy) {
	product := p.Retries + 1
	for _, l := range p.Layers {
		product = min(product*max(l.Attempts, 1), 1<<30)
	}
	if product > maxCallAttempts {
		s.conflict([]string{"policy.layers", "policy.retries"},
			"retries and layers multiply to %d attempts of one call, at most %d", product, maxCallAttempts)
	}
}
