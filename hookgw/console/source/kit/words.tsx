// What the console's own words mean, said where they first stand.

import { h, VNode } from "preact"

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
