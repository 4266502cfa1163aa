package main

import "fmt"

// vigil is a long watch over traffic whose long-run p99 is not above the timeout:
// whatever fires is false. It is kept in pieces, so that several can be at work.
type vigil struct {
	traffic traffic
	hours   int
	piece   int
}

// kept is what came of a vigil.
type kept struct {
	vigil
	fires, flips, pages int
}

const (
	hoursPerPiece = 5_000
	steadyHours   = 200_000
	episodeHours  = 20_000
)

// windowSizes are attempts per window of one hour.
func windowSizes() []int { return []int{1000, 3000, 10_000} }

// steadyVigils watch timeouts at p99 exactly.
func steadyVigils() []vigil {
	var all []vigil
	for _, n := range windowSizes() {
		all = append(all, pieces(traffic{perWindow: n, base: judged, longRun: judged}, steadyHours)...)
	}
	return all
}

// episodeVigils watch a timeout that 0.5% exceed in the long run, most of them
// in episodes.
func episodeVigils() []vigil {
	var all []vigil
	for _, n := range windowSizes() {
		for _, inside := range []float64{.02, .05, .1, .5} {
			all = append(all, pieces(traffic{perWindow: n, base: .001, episode: inside, longRun: .005}, episodeHours)...)
		}
	}
	return all
}

func pieces(t traffic, hours int) []vigil {
	var all []vigil
	for i := range hours / hoursPerPiece {
		all = append(all, vigil{t, hoursPerPiece, i})
	}
	return all
}

// keep watches. Counts are those at the source, not shrunk for what increase()
// may have stretched: fires come easiest so.
func (v vigil) keep() kept {
	s := stream{traffic: v.traffic, r: generator(fmt.Sprintf("vigil/%+v", v))}
	w := watcher{scrapes: atSource()}
	for range (v.hours+2)*minutesPerWindow - 1 {
		w.look(s.next())
	}
	return kept{v, w.fires, w.flips, w.pages}
}

// joined adds up the pieces of each vigil.
func joined(all []kept) []kept {
	var whole []kept
	for _, k := range all {
		last := len(whole) - 1
		if last < 0 || whole[last].traffic != k.traffic {
			whole = append(whole, k)
			continue
		}
		whole[last].hours += k.hours
		whole[last].fires += k.fires
		whole[last].flips += k.flips
		whole[last].pages += k.pages
	}
	return whole
}
