package promquery

import (
	"maps"
	"slices"
)

// opening is what subjects begin with that ask about the very same.
type opening struct {
	subjects []int
	load     load
}

// parties puts together who is asked about together from the first round to the
// last. The members of one are in the order of their values, as those of chunks
// are, so that a party asks one query in each round.
func (c *Client) parties(n int, subject func(i int) *subject) [][]int {
	families := map[groupKey]map[string]*opening{}
	var order []groupKey
	for i := range n {
		key, tuple, load := subject(i).opening()
		family := families[key]
		if family == nil {
			family = map[string]*opening{}
			families[key], order = family, append(order, key)
		}
		if family[tuple] == nil {
			family[tuple] = &opening{load: load}
		}
		family[tuple].subjects = append(family[tuple].subjects, i)
	}
	var parties [][]int
	for _, key := range order {
		parties = append(parties, c.divided(key.alike, families[key])...)
	}
	return parties
}

func (c *Client) divided(a alike, family map[string]*opening) [][]int {
	tuples := slices.Sorted(maps.Keys(family))
	loads := make([]load, len(tuples))
	for i, tuple := range tuples {
		loads[i] = family[tuple].load
	}
	var parties [][]int
	for _, n := range c.plan.limits.divide(a, loads, c.sender.party(len(tuples)), c.sender) {
		var party []int
		for _, tuple := range tuples[:n] {
			party = append(party, family[tuple].subjects...)
		}
		parties, tuples = append(parties, party), tuples[n:]
	}
	return parties
}

// opening is the first question of a subject; nothing where it has none.
func (s *subject) opening() (key groupKey, tuple string, l load) {
	if s.next == nil {
		return key, tuple, l
	}
	questions := s.next()
	if len(questions) == 0 {
		return key, tuple, l
	}
	first := questions[0]
	return first.key(s), first.group.tuple(), first.load()
}
