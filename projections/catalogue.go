package projections

// Catalogue is every read model, by name. Each entry starts one on an empty session.
func Catalogue() []func() Model {
	return []func() Model{
		asks.Model,
		endState.Model,
		contextViews.Model,
		cost.Model,
		diagnostics.Model,
		queue.Model,
		files.Model,
		gui.Model,
		mmaStatus.Model,
		openRequests.Model,
		project.Model,
		prompt.Model,
		discussion.Model,
		settings.Model,
		spending.Model,
		spawned.Model,
		summary.Model,
		tickets.Model,
		timeline.Model,
		toolCalls.Model,
		workers.Model,
	}
}
