package projections

import "manualslop/events"

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

// ofTheWork is every payload but those that only the gateway's own books are
// about, which come most often while programs talk to it.
func ofTheWork(p events.Payload) bool {
	switch p.(type) {
	case events.HookCalled, events.EventPushed, events.EventsDrained, events.GUITaskQueued, events.GUITaskFailed:
		return false
	}
	return true
}

// ofAsks is what an inbox is made of.
func ofAsks(p events.Payload) bool {
	switch p.(type) {
	case events.AskPosted, events.AskRaised, events.AskSettled, events.AnswerRefused:
		return true
	}
	return false
}

// ofRequests is the course of model calls.
func ofRequests(p events.Payload) bool {
	switch p.(type) {
	case events.ModelRequested, events.ModelReplied, events.ModelFailed, events.ModelDenied:
		return true
	}
	return false
}

// ofProjects is what a project and its files are made of.
func ofProjects(p events.Payload) bool {
	switch p.(type) {
	case events.ProjectSwitchRequested, events.ProjectLoaded, events.ProjectSwitchFailed, events.ProjectEdited,
		events.ProjectSaved,
		events.FilesTracked, events.ContextPresetChanged:
		return true
	}
	return false
}

// ofTheGUI is what came to POST /api/gui.
func ofTheGUI(p events.Payload) bool {
	switch p.(type) {
	case events.GUITaskQueued, events.GUITaskFailed:
		return true
	}
	return false
}
