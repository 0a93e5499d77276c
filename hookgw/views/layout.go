package views

import (
	"cmp"
	"slices"

	"manualslop/projections"
)

// sweeps is the number of times that the layers are reordered, from left to right and back.
const sweeps = 4

// spot is the position of a ticket in a drawing of the graph.
type spot struct{ layer, place int }

// arrange returns a spot for each ticket: one layer after its last dependency, and within a layer near the middle of
// its neighbours, so that few lines cross. A dependency that would close a cycle, or on a ticket that does not exist,
// is ignored.
func arrange(tickets []projections.TicketRow) []spot {
	g := graph{at: map[string]int{}, before: make([][]int, len(tickets)), after: make([][]int, len(tickets)),
		layer: make([]int, len(tickets)), seen: make([]int8, len(tickets))}
	for i, t := range tickets {
		if _, twice := g.at[t.ID]; !twice {
			g.at[t.ID] = i
		}
	}
	deepest := 0
	for i := range tickets {
		deepest = max(deepest, g.place(tickets, i))
	}
	layers := make([][]int, deepest+1)
	for i := range tickets {
		layers[g.layer[i]] = append(layers[g.layer[i]], i)
	}
	spots := make([]spot, len(tickets))
	settle := func(layer []int) {
		for place, i := range layer {
			spots[i] = spot{g.layer[i], place}
		}
	}
	for _, layer := range layers {
		settle(layer)
	}
	for sweep := range sweeps {
		for n := range layers {
			layer, beside := layers[n], g.before
			if sweep%2 == 1 {
				layer, beside = layers[len(layers)-1-n], g.after
			}
			order(layer, beside, spots)
			settle(layer)
		}
	}
	return spots
}

type graph struct {
	at            map[string]int // index by id
	before, after [][]int
	layer         []int
	seen          []int8 // 1: on the way, 2: done
}

// place returns the layer of a ticket, after placing the tickets before it.
func (g *graph) place(tickets []projections.TicketRow, i int) int {
	if g.seen[i] != 0 {
		return g.layer[i]
	}
	g.seen[i] = 1
	for _, id := range tickets[i].DependsOn {
		j, known := g.at[id]
		if !known || g.seen[j] == 1 || j == i {
			continue
		}
		g.layer[i] = max(g.layer[i], g.place(tickets, j)+1)
		g.before[i], g.after[j] = append(g.before[i], j), append(g.after[j], i)
	}
	g.seen[i] = 2
	return g.layer[i]
}

// order sorts a layer by the middle of each ticket's neighbours. A ticket without neighbours keeps its place.
func order(layer []int, beside [][]int, spots []spot) {
	middle := make(map[int]float64, len(layer))
	for _, i := range layer {
		sum := 0
		for _, j := range beside[i] {
			sum += spots[j].place
		}
		middle[i] = float64(spots[i].place)
		if n := len(beside[i]); n > 0 {
			middle[i] = float64(sum) / float64(n)
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
}
