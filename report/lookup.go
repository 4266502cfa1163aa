package report

import (
	"slices"

	"github.com/timeout-auditor/timeout-auditor/audit"
)

// Find returns the dependency of the given name; false when there is none.
func (r *Report) Find(name string) (Dependency, bool) {
	i := slices.IndexFunc(r.Dependencies, func(d Dependency) bool { return d.Dependency.Name == name })
	if i < 0 {
		return Dependency{}, false
	}
	return r.Dependencies[i], true
}

// FindChain returns the chain of the given name; false when there is none.
func (r *Report) FindChain(name string) (Chain, bool) {
	i := slices.IndexFunc(r.Chains, func(c Chain) bool { return c.Chain.Name == name })
	if i < 0 {
		return Chain{}, false
	}
	return r.Chains[i], true
}

// RowOf returns one dependency as Rows shows it.
func (r *Report) RowOf(d Dependency) Row { return r.row(d) }

// DocumentOf returns one dependency as Document holds it.
func (r *Report) DocumentOf(d Dependency) DependencyDocument { return r.dependencyDocument(d) }

// Document returns the chain as Document holds it.
func (c Chain) Document() ChainDocument { return chainDocument(c) }

// FiguresOf returns every figure of an assessment as Document holds it.
func FiguresOf(a *audit.Assessment) *FiguresDocument { return figuresDocument(a) }
