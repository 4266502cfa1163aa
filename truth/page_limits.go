package main

func limits(p *page) {
	p.title(2, "What cannot be known")
	p.say("**Between two bounds** only the bracket is sure. Two kinds of shape defeat every point estimate there, that of the two quantiles too. They are marked ¹ above:")
	for _, s := range shapes() {
		if s.unresolved != "" {
			p.WriteString("\n- " + s.name + ": " + s.unresolved + ".")
		}
	}
	p.WriteString("\n")
	p.say("On a bound they are counted like any other. Where the tail ends inside the timeout's bucket, the headline rather says too much than too little: it goes on falling as it did below. Add a bucket bound at the timeout.")
	p.say("**Beyond a timeout that drops what it cuts off**, and counts it nowhere, a slow component can hide as a whole. The audit clears such a timeout only where what is left below falls so fast that even a power law through it would leave less than 1%%. That is no help against what has left no trace. Add a counter of timeouts.")
	p.say("**A lost request or reply** puts a floor under p at any timeout. Only a counter of timeouts sees it, or a histogram that records attempts that never got a reply.")
	p.say("**What is not simulated here**: how a server stretches counts between scrapes, restarts, series that are born inside the window. The tests against a real Prometheus cover these.")
}
