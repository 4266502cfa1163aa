package retry

import (
	"fmt"
	"strconv"
	"strings"
)

// Layer is one more place below the policy that retries: a client library
// inside the application, a mesh below both. Each of its attempts is one
// attempt of the layer above.
type Layer struct {
	Name     string
	Attempts int     // at least 1
	Timeout  float64 // seconds, of each of its attempts; 0: none
}

// fold works the layers into the policy: attempts multiply, since each layer
// retries inside one attempt of the layer above, and of all timeouts on one
// attempt the shortest wins (docs/model.md §5).
func (e *Effective) fold(p Policy) Policy {
	product, names := p.Retries+1, []string{fmt.Sprintf("the policy %d", p.Retries+1)}
	shortest, by := p.Timeout, ""
	for _, layer := range p.Layers {
		product = attempts(product * attempts(layer.Attempts))
		names = append(names, fmt.Sprintf("%s %d", layer.Name, attempts(layer.Attempts)))
		if timeout := seconds(layer.Timeout); timeout > 0 && (shortest == 0 || timeout < shortest) {
			shortest, by = timeout, layer.Name
		}
	}
	if product != p.Retries+1 {
		e.differ(CodeLayersMultiply, Difference{
			What: "attempts", Declared: strconv.Itoa(p.Retries + 1), Effective: strconv.Itoa(product),
			Why: "layers that retry inside each other multiply: " + strings.Join(names, " × "),
		})
	}
	if by != "" {
		declared := "none"
		if p.Timeout > 0 {
			declared = duration(p.Timeout)
		}
		e.differ(CodeLayerTimeout, Difference{
			What: "the timeout per attempt", Declared: declared, Effective: duration(shortest),
			Why: fmt.Sprintf("%s gives up first", by),
		})
	}
	p.Retries, p.Timeout = product-1, shortest
	return p
}
