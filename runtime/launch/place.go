package launch

// Place maps processes to ranks so that ranks that exchange much share a host: process k
// becomes rank places[k]. traffic[a][b] is the number of bytes that ranks a and b exchange,
// both directions added.
//
// This is graph partitioning: parts of given sizes, with the least traffic between them.
// Place has two initial solutions: the order of the launcher, and a greedy order that fills
// one host after another, always with the rank that exchanges most with the ranks already
// on the host. It improves both by swapping pairs of ranks, the best pair first, while a
// swap helps (after Kernighan and Lin 1970). The order of the launcher stays if nothing is
// better.
func Place(members []Member, traffic [][]int64) []int {
	n := len(members)
	host := make([]int, n) // by process
	hosts := 0
	for k := range members {
		host[k] = hosts
		for j := range k {
			if members[j].SameHost(&members[k]) {
				host[k] = host[j]
				break
			}
		}
		if host[k] == hosts {
			hosts++
		}
	}
	places := make([]int, n)
	for k := range places {
		places[k] = k
	}
	if hosts < 2 || hosts == n {
		return places // no swap can help
	}
	// The host of each rank.
	given := append([]int(nil), host...)
	best := improve(given, traffic)
	gathered := improve(gather(host, hosts, traffic), traffic)
	if between(gathered, traffic) < between(best, traffic) {
		best = gathered
	}
	if between(best, traffic) >= between(host, traffic) {
		return places
	}
	// A process keeps its number if that rank is on its host; otherwise it gets another
	// rank of its host.
	taken := make([]bool, n)
	for k := range places {
		places[k] = -1
		if best[k] == host[k] {
			places[k], taken[k] = k, true
		}
	}
	for k := range places {
		for rank := 0; places[k] < 0; rank++ {
			if !taken[rank] && best[rank] == host[k] {
				places[k], taken[rank] = rank, true
			}
		}
	}
	return places
}

// between is the number of bytes that ranks on different hosts exchange.
func between(host []int, traffic [][]int64) (bytes int64) {
	for a := range host {
		for b := range a {
			if host[a] != host[b] {
				bytes += traffic[a][b]
			}
		}
	}
	return bytes
}

// gather fills the hosts one after another, and returns the host of each rank.
func gather(host []int, hosts int, traffic [][]int64) []int {
	n := len(host)
	room := make([]int, hosts)
	for _, h := range host {
		room[h]++
	}
	on := make([]int, n)
	pull := make([]int64, n) // bytes that a rank exchanges with the host being filled
	for rank := range on {
		on[rank] = -1
	}
	for h := range room {
		clear(pull)
		for range room[h] {
			next := -1
			for rank := range on {
				if on[rank] < 0 && (next < 0 || pull[rank] > pull[next]) {
					next = rank
				}
			}
			on[next] = h
			for rank := range on {
				pull[rank] += traffic[next][rank]
			}
		}
	}
	return on
}

// mostExchanges bounds the pairs of ranks that improve examines in all.
const mostExchanges = 1 << 24

// improve swaps ranks between hosts while this reduces the traffic between hosts.
func improve(on []int, traffic [][]int64) []int {
	n := len(on)
	// pull[a][h] is the number of bytes that rank a exchanges with the ranks of host h.
	pull := make([]map[int]int64, n)
	for a := range pull {
		pull[a] = map[int]int64{}
		for b, bytes := range traffic[a] {
			if b != a && bytes != 0 {
				pull[a][on[b]] += bytes
			}
		}
	}
	for looked := 0; looked < mostExchanges; looked += n * n {
		var most int64
		var first, second int
		for a := range on {
			for b := range a {
				if on[a] == on[b] {
					continue
				}
				saved := pull[a][on[b]] - pull[a][on[a]] + pull[b][on[a]] - pull[b][on[b]] - 2*traffic[a][b]
				if saved > most {
					most, first, second = saved, a, b
				}
			}
		}
		if most == 0 {
			break
		}
		for c := range on {
			pull[c][on[first]] += traffic[c][second] - traffic[c][first]
			pull[c][on[second]] += traffic[c][first] - traffic[c][second]
		}
		on[first], on[second] = on[second], on[first]
	}
	return on
}
