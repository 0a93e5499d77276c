package program

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

// maxHistory limits the points of a track's history; in a longer one, neighbours are merged in pairs until it fits.
const maxHistory = 128

// spend is the usage, with the exact sum before rounding.
type spend struct {
	wire.Spend
	exact pricing.Sum
}

func (s *spend) add(u projections.Usage, p *events.ModelPrice) {
	var one spend
	one.Requests, one.Failed, one.Estimated = u.Requests, u.Failed, u.Estimated
	one.InputTokens, one.OutputTokens, one.CacheReadTokens, one.CacheWriteTokens = u.Input, u.Output, u.CacheRead,
		u.CacheWrite
	one.CacheWriteHourTokens, one.ReportedMicroDollars = u.CacheWriteHour, u.Reported
	one.exact.Add(events.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CacheWriteHour: u.CacheWriteHour}, p)
	s.merge(&one)
}

func (s *spend) merge(o *spend) {
	s.Requests += o.Requests
	s.Failed += o.Failed
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.CacheReadTokens += o.CacheReadTokens
	s.CacheWriteTokens += o.CacheWriteTokens
	s.CacheWriteHourTokens += o.CacheWriteHourTokens
	s.ReportedMicroDollars += o.ReportedMicroDollars
	s.Estimated = s.Estimated || o.Estimated
	s.exact.Merge(o.exact)
}

// settled rounds the exact sum to the figures that are shown.
func (s *spend) settled() wire.Spend {
	out := s.Spend
	out.PricedMicroDollars, out.Cost = s.exact.Priced(), s.exact.Dollars()
	if micro, known := s.exact.MicroDollars(); known {
		out.CostMicroDollars = &micro
	}
	return out
}

// spendItem is the usage for one thing, and its time.
type spendItem struct {
	spend
	id, track string
	history   []spendPoint
}

type spendPoint struct {
	spend
	at time.Time
}

// spendTable adds up items by key, in the order of their first line.
type spendTable struct {
	items []*spendItem
	at    map[string]*spendItem
}

func (t *spendTable) item(id, track string) *spendItem {
	key := track + "\x00" + id
	if t.at == nil {
		t.at = map[string]*spendItem{}
	}
	i := t.at[key]
	if i == nil {
		i = &spendItem{id: id, track: track}
		t.at[key], t.items = i, append(t.items, i)
	}
	return i
}

func (t *spendTable) list() []wire.SpendOf {
	out := make([]wire.SpendOf, 0, len(t.items))
	for _, i := range t.items {
		out = append(out, wire.SpendOf{ID: i.id, Track: i.track, Spend: i.settled(), History: shorten(i.history)})
	}
	return out
}

// finances prices the usage of a session with the prices that it recorded, or else with the program's own table.
func finances(s *projections.Set, table events.ModelsOffered) wire.Financial {
	if recorded := s.Offered(); len(recorded.Models) > 0 {
		table = recorded
	}
	out := wire.Financial{Currency: "USD", Unpriced: []string{}, Prices: append([]events.ModelOffer{}, table.Models...)}
	var session, noTicket spend
	var tracks, tickets, tiers, models spendTable
	for _, l := range s.Spending() {
		price := priceOf(l, table)
		name := l.Provider + "/" + l.Model
		if price == nil && !slices.Contains(out.Unpriced, name) {
			out.Unpriced = append(out.Unpriced, name)
		}
		track := tracks.item(l.Track, "")
		for _, p := range l.History {
			point := spendPoint{at: p.At}
			point.add(p.Usage, price)
			track.history = append(track.history, point)
		}
		for _, s := range []*spend{&session, &track.spend, &tiers.item(strconv.Itoa(l.Tier), "").spend,
			&models.item(name, "").spend} {
			s.add(l.Usage, price)
		}
		if l.Ticket != "" {
			tickets.item(l.Ticket, l.Track).add(l.Usage, price)
		} else {
			noTicket.add(l.Usage, price)
		}
	}
	out.Session, out.NoTicket = session.settled(), noTicket.settled()
	out.Tracks, out.Tickets, out.Tiers, out.Models = tracks.list(), tickets.list(), tiers.list(), models.list()
	titles := map[string]string{}
	for _, t := range s.Tracks() {
		titles[t.ID] = t.Title
	}
	for i := range out.Tracks {
		out.Tracks[i].Title = titles[out.Tracks[i].ID]
	}
	for i, t := range out.Tickets {
		if row, known := s.Ticket(t.ID); known {
			out.Tickets[i].Title, _, _ = strings.Cut(row.Description, "\n")
		}
	}
	out.Budget = budgetOf(s.Budgets(), out.Session.PricedMicroDollars)
	return out
}

// priceOf returns the price of a line. If its session had not recorded prices by then, it returns the current price.
func priceOf(l *projections.SpendingLine, table events.ModelsOffered) *events.ModelPrice {
	if l.Price != nil || len(l.History) == 0 {
		return l.Price
	}
	p, known := table.Price(l.Provider, l.Model, l.History[len(l.History)-1].At, 0)
	if !known {
		return nil
	}
	return &p
}

func budgetOf(b projections.Budgets, spent int64) wire.Budget {
	limit := func(micro int64) *int64 {
		if micro <= 0 {
			return nil
		}
		return &micro
	}
	out := wire.Budget{LimitMicroDollars: limit(b.Session), TicketLimitMicroDollars: limit(b.Ticket),
		Warned: slices.Contains(b.Warned, events.BudgetSession), Tickets: []wire.TicketBudget{}}
	if b.Session > 0 {
		used := 100 * float64(spent) / float64(b.Session)
		out.UsedPct = &used
	}
	for _, ticket := range slices.Sorted(maps.Keys(b.Tickets)) {
		out.Tickets = append(out.Tickets, wire.TicketBudget{Ticket: ticket, LimitMicroDollars: limit(b.Tickets[ticket])})
	}
	for _, ticket := range b.Finishing {
		out.Tickets = append(out.Tickets, wire.TicketBudget{Ticket: ticket})
	}
	return out
}

// shorten sorts a history by time and merges neighbours until it fits.
func shorten(points []spendPoint) (out []wire.SpendPoint) {
	slices.SortStableFunc(points, func(a, b spendPoint) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	for len(points) > maxHistory {
		half := points[:0]
		for i := 0; i < len(points); i += 2 {
			pair := points[i]
			if i+1 < len(points) {
				pair.at = points[i+1].at
				pair.merge(&points[i+1].spend)
			}
			half = append(half, pair)
		}
		points = half
	}
	for _, p := range points {
		out = append(out, wire.SpendPoint{At: p.at, Spend: p.settled()})
	}
	return out
}
