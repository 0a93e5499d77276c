package views

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections"
)

func row(id string, after ...string) projections.TicketRow {
	return projections.TicketRow{TicketState: projections.TicketState{ID: id, DependsOn: after}}
}

func TestDependenciesAreInEarlierLayersAndSpotsDiffer(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		rows := make([]projections.TicketRow, 500)
		for i := range rows {
			var after []string
			for range random.IntN(4) {
				if i > 0 {
					after = append(after, fmt.Sprint(random.IntN(i)))
				}
			}
			rows[i] = row(fmt.Sprint(i), after...)
		}
		spots := arrange(rows)
		require.Equal(t, spots, arrange(rows), "the same each time")
		taken := map[spot]int{}
		at := map[string]spot{}
		for i, s := range spots {
			other, twice := taken[s]
			require.False(t, twice, "%d and %d at %v", i, other, s)
			taken[s], at[rows[i].ID] = i, s
		}
		for i, r := range rows {
			deepest := -1
			for _, id := range r.DependsOn {
				deepest = max(deepest, at[id].layer)
			}
			require.Equal(t, deepest+1, spots[i].layer, "right behind its last dependency")
		}
	}
}

func TestNeighboursAreNearAndTheirLinesDoNotCross(t *testing.T) {
	t.Parallel()
	spots := arrange([]projections.TicketRow{row("a"), row("b"), row("d", "b"), row("c", "a")})
	require.Equal(t, []spot{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, spots)
}

func TestCirclesAndMissingTicketsHaveSpotsToo(t *testing.T) {
	t.Parallel()
	spots := arrange([]projections.TicketRow{row("a", "b", "a", "gone"), row("b", "a"), row("a")})
	require.Len(t, spots, 3)
	require.Equal(t, 1, spots[0].layer)
	require.Equal(t, 0, spots[1].layer)
	require.Empty(t, arrange(nil))
}
