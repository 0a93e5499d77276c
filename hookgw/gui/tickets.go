package gui

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/team"
)

// ticketButtons returns the buttons for one ticket, which user_data names.
func ticketButtons() []guiButton {
	button := func(what, reaction, doc string, payload func(ticketClick) events.Payload) guiButton {
		return guiButton{ID: "btn_mma_" + what + "_ticket", Aliases: []string{"btn_" + what + "_ticket", "btn_mma_" + what,
			"btn_" + what}, Doc: doc,
			UserData: `a ticket's id, or {"ticket", "reason"?, "note"?}`, do: aboutTicket(reaction, payload)}
	}
	return []guiButton{
		button("kill", events.NameOf[events.TicketBlocked](), "Ends the running attempt of a ticket.",
			func(t ticketClick) events.Payload {
				return events.KillRequested{Ticket: t.Ticket}
			}),
		button("retry", events.NameOf[events.TicketRetried](), "Makes another attempt at a blocked ticket.",
			func(t ticketClick) events.Payload {
				return events.RetryRequested{Ticket: t.Ticket, Note: t.Note}
			}),
		button("block", events.NameOf[events.TicketBlocked](), "Blocks a ticket that has not started.",
			func(t ticketClick) events.Payload {
				return events.BlockRequested{Ticket: t.Ticket, Reason: t.Reason}
			}),
		button("unblock", events.NameOf[events.TicketUnblocked](), "Unblocks a ticket.",
			func(t ticketClick) events.Payload {
				return events.UnblockRequested{Ticket: t.Ticket, Note: t.Note}
			}),
		button("note", events.NameOf[events.TicketNoted](), "Gives a note to the model that works on a ticket.",
			func(t ticketClick) events.Payload {
				return events.NoteRequested{Ticket: t.Ticket, Note: t.Note}
			}),
	}
}

// ticketClick is the user_data of such a button.
type ticketClick struct {
	Ticket string `json:"ticket"`
	Reason string `json:"reason"`
	Note   string `json:"note"`
}

func aboutTicket(reaction string, payload func(ticketClick) events.Payload) func(*guiRun) error {
	return func(r *guiRun) error {
		var t ticketClick
		data := text(r.task.UserData)
		if json.Unmarshal(data, &t.Ticket) != nil && json.Unmarshal(data, &t) != nil || t.Ticket == "" ||
			len(t.Ticket) > events.MaxIDLength || len(t.Reason) > team.MaxReason || len(t.Note) > events.MaxNote {
			return problem.New(http.StatusBadRequest, "user_data does not name a ticket",
				"Send its id, a string of 1 to 128 bytes, and a reason or a note of up to 4096 bytes; GET "+
					"/api/gui/mma_status lists the tickets.")
		}
		return r.request(payload(t), reaction)
	}
}
