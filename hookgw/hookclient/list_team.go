package hookclient

import "context"

func askMethods() []Method {
	return []Method{
		{"request_confirmation", "Asks the user whether a tool may be used, and waits for the answer.",
			[]Parameter{text("tool_name"), {Name: "args", Kind: KindJSON}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.RequestConfirmation(ctx, a.text(0), a.at(1))
			}},
		{"post_ask", "Asks the user any question, and waits for the answer.",
			[]Parameter{{Name: "question", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) { return c.PostAsk(ctx, a.object(0)) }},
		{"respond_to_ask", "Answers a question.", []Parameter{text("request_id"), {Name: "response", Kind: KindJSON}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.RespondToAsk(ctx, a.text(0), a.at(1))
			}},
		{"preview_ask", "Shows what the call of a question would change with other arguments.",
			[]Parameter{text("request_id"), {Name: "args", Kind: KindObject}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.PreviewAsk(ctx, a.text(0), a.object(1))
			}},
		{"get_asks", "Lists the questions that are pending, settled or all.", []Parameter{optional(text("state"))},
			func(ctx context.Context, c *Client, a arguments) (any, error) { return c.GetAsks(ctx, a.text(0)) }},
	}
}

func teamMethods() []Method {
	return []Method{
		{"post_goal", "Submits a goal and returns its " +
			"id.", []Parameter{text("goal")}, func(ctx context.Context, c *Client,
			a arguments) (any, error) {
			return c.PostGoal(ctx, a.text(0))
		}},
		{"get_mma_workers", "Reads what every worker is " +
			"doing.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return c.GetMMAWorkers(ctx)
		}},
		{"spawn_mma_worker", "Adds a worker with its own ticket.", []Parameter{text("prompt"),
			{Name: "context", Kind: KindText, Optional: true, Many: true}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.SpawnMMAWorker(ctx, WorkerSpec{Prompt: a.text(0), Context: a.texts(1)})
			}},
		{"kill_mma_worker", "Ends the running attempt of a worker.", []Parameter{text("worker_id")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.KillMMAWorker(ctx, a.text(0))
			}},
		{"note_mma_ticket", "Gives a note to the model that works on a " +
			"ticket.", []Parameter{text("ticket"), text("note")},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.NoteMMATicket(ctx, a.text(0), a.text(1))
			}},
		{"pause_mma_pipeline", "Pauses the start of new work; running work " +
			"finishes.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return nil, c.PauseMMAPipeline(ctx)
		}},
		{"resume_mma_pipeline", "Ends a pause.", nil, func(ctx context.Context, c *Client, _ arguments) (any, error) {
			return nil, c.ResumeMMAPipeline(ctx)
		}},
		{"mutate_mma_dag", "Changes the graph of tickets, all or nothing.",
			[]Parameter{{Name: "op", Kind: KindObject, Many: true}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.MutateMMADAG(ctx, a.objects(0)...)
			}},
	}
}

func headlessMethods() []Method {
	return []Method{
		{"get_health", "Checks whether the headless service is alive.", nil, func(ctx context.Context, c *Client,
			_ arguments) (any, error) {
			return c.GetHealth(ctx)
		}},
		{"generate", "Adds a worker, waits for its end and reads its text.", []Parameter{text("prompt"),
			{Name: "context", Kind: KindText, Optional: true, Many: true}},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return c.Generate(ctx, WorkerSpec{Prompt: a.text(0), Context: a.texts(1)})
			}},
		{"get_pending_actions", "Lists the actions that wait for " +
			"approval.", nil, func(ctx context.Context, c *Client, _ arguments) (any,
			error) {
			return c.GetPendingActions(ctx)
		}},
		{"confirm_action", "Approves or rejects a pending " +
			"action.", []Parameter{text("action_id"), {Name: "approved", Kind: KindBool},
			optional(text("reason"))},
			func(ctx context.Context, c *Client, a arguments) (any, error) {
				return nil, c.ConfirmAction(ctx, a.text(0), a.yes(1), a.text(2))
			}},
	}
}
