package record

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections/search"
)

// getSearch answers with the hits for ?q=.
func getSearch(c *core.Call) error {
	if c.Gw.Cfg.Search == nil {
		return problem.New(http.StatusServiceUnavailable, "this gateway has no search index",
			"Search with slop search; see slop search --help.")
	}
	values := c.Query()
	page, err := pageOf(values)
	if err != nil {
		return err
	}
	q, err := search.Parse(values.Get("q"), c.Gw.Cfg.Clock())
	if err != nil {
		return searchProblem(err)
	}
	found, err := runSearch(c.Request.Context(), c.Gw, q, page)
	if err != nil {
		return searchProblem(err)
	}
	return c.Reply(http.StatusOK, found)
}

// runSearch searches when a search slot is free.
func runSearch(ctx context.Context, g *core.State, q search.Query, page search.Page) (search.Answer, error) {
	limited, cancel := context.WithTimeout(ctx, search.MaxTime)
	defer cancel()
	select {
	case g.Searches <- struct{}{}:
		defer func() { <-g.Searches }()
	case <-limited.Done():
		return search.Answer{}, limited.Err()
	}
	return g.Cfg.Search.Find(ctx, q, page)
}

// searchProblem converts a search error to a problem for the client.
func searchProblem(err error) error {
	var wrong *search.QueryError
	switch {
	case errors.As(err, &wrong):
		return problem.New(http.StatusBadRequest, wrong.Message, wrong.Hint)
	case errors.Is(err, search.ErrNotOpen), errors.Is(err, search.ErrDamaged):
		return problem.New(http.StatusServiceUnavailable, "the search index is not ready",
			"It is being built; try again in a moment.").WithCause(err)
	case errors.Is(err, context.DeadlineExceeded):
		return problem.New(http.StatusServiceUnavailable, "the search took too long",
			"Search for rarer words, or for fewer of them.").WithCause(err)
	}
	return err
}

// pageOf parses which hits the client wants.
func pageOf(values url.Values) (search.Page, error) {
	limit, err := whole(values, "limit", search.DefaultLimit, search.MaxLimit)
	if err != nil {
		return search.Page{}, err
	}
	offset, err := whole(values, "offset", 0, search.MaxOffset)
	if err != nil {
		return search.Page{}, err
	}
	order := values.Get("sort")
	if order != "" && order != search.Newest && order != search.Score {
		return search.Page{}, problem.New(http.StatusBadRequest, "sort is not valid", "Use newest or score.")
	}
	return search.Page{Limit: limit, Offset: offset, Sort: order}, nil
}

func whole(values url.Values, name string, otherwise, most int) (int, error) {
	if !values.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(values.Get(name))
	if err != nil || n < 0 || n > most {
		return 0, problem.New(http.StatusBadRequest, name+" is out of range", "Give 0 to "+strconv.Itoa(most)+
			".")
	}
	return n, nil
}
