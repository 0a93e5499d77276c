package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

const (
	// clusterWait limits how long the doctor waits for an external bus.
	clusterWait = 10 * time.Second
	// serverSilence is how long a server may go without answering the leader, which it normally does every second.
	// The cluster itself reports the server as offline much later.
	serverSilence = 4 * time.Second
)

// checkCluster reports how an external bus stores the log.
func checkCluster(ctx context.Context, g *site.Flags, p site.Place) finding {
	const check = "bus"
	ctx, cancel := context.WithTimeout(ctx, clusterWait)
	defer cancel()
	conns := &site.Connector{Dial: g.DialConfig(p)}
	defer conns.Close()
	conn, err := conns.As(ctx, bus.Role{Kind: bus.Person, Name: p.Person})
	if errors.Is(err, bus.ErrRole) {
		conn, err = conns.As(ctx, bus.Role{Kind: bus.Reader})
	}
	if err != nil {
		return broken(check, err.Error())
	}
	kept, err := conn.Replication(ctx)
	switch {
	case err != nil:
		return broken(check, err.Error())
	case len(kept.Followers) == 0:
		return ok(check, "the log is on an external bus, in one copy")
	}
	var behind []string
	for _, f := range kept.Followers {
		switch {
		case f.Offline || f.Seen > serverSilence:
			behind = append(behind, f.Name+" does not answer")
		case !f.Current:
			behind = append(behind, fmt.Sprintf("%s is %d operations behind", f.Name, f.Lag))
		}
	}
	detail := fmt.Sprintf("%s has %d copies; %s leads", kept.Stream, len(kept.Followers)+1, term.FirstOf(kept.Leader,
		"no server"))
	if len(behind) > 0 || kept.Leader == "" {
		return note(check, detail+"; "+strings.Join(behind, ", "))
	}
	return ok(check, detail+", all are current")
}
