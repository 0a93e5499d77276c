// What the console's own words mean, said where they first stand.

import { h, VNode } from "preact"
import { state } from "./format"
import { Session } from "../wire"

export function Tiers(): VNode {
  return (
    <p class="quiet">
      Four tiers of models share the work. Tier 1 splits the goal into parts, called tracks. Tier 2 plans the tickets of
      a track. Tier 3 carries them out, a worker for each ticket. Tier 4 explains failed commands to the workers.
    </p>
  )
}

// tierNames are the headings of the tiers, by number.
export const tierNames = ["", "Tier 1: orchestrator", "Tier 2: tech lead", "Tier 3: workers", "Tier 4: errors"]

// standing says in one phrase how a session stands.
export function standing(s: Session, paused = false): string {
  const goal = s.outcome === "done" ? "the goal is done" : s.outcome === "failed" ? "the goal is not reached" : ""
  if (s.closed) {
    const why = (s.close_reason ?? "") + (s.close_reason && goal ? "; " : "") + goal
    return (s.outcome === "failed" ? "✗" : "✓") + " closed" + (why && ": " + why)
  }
  if (s.stalled) return "✗ stalled: " + s.stalled
  if (paused) return "‖ paused"
  if (s.pending_asks > 0) return "⚑ waiting for you"
  if (s.outcome === "failed") return "✗ idle: " + goal
  if (s.outcome === "done") return "✓ " + goal
  return s.goal ? state(s.state) : "○ no goal yet"
}
