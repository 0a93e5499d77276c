package runtime

import "manualslop/events"

// priced is what an attempt used with the price that holds for it, as the session
// recorded it; without, where none is known.
func (tr *transcript) priced(e *events.Event, p events.ModelRequested, u events.Usage) events.Usage {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	price, known := tr.offered.Price(p.Provider, p.Model, e.Time, u.Prompt())
	if !known {
		return u
	}
	u.Price = price.ID
	if cost, whole := price.Cost(u); whole {
		micro := cost.Micro()
		u.PricedMicroDollars = &micro
	}
	return u
}
