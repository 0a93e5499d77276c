// The rules about tool calls, how long each holds and where it comes from.

import { h, VNode } from "preact"
import { place, to } from "../kit/place"
import { Visible } from "../kit/text"

export interface Rule {
  tool: string
  action: string
  args?: string[]
  scope?: string
  source?: string
}

export function Rules({ rules }: { rules: Rule[] }): VNode {
  if (rules.length === 0)
    return <p class="quiet">No rule: every call that writes or runs something is asked about.</p>
  return (
    <table aria-label="Rules">
      <thead>
        <tr>
          {["Tool", "Action", "Calls", "Holds", "From"].map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rules.map((r) => (
          <tr>
            <td>
              <Visible text={r.tool} />
            </td>
            <td>{r.action}</td>
            <td>{r.args?.length ? <Visible text={r.args.join("; ")} /> : "all"}</td>
            <td>
              <Visible text={holds(r)} />
            </td>
            <td>
              <Source of={r.source ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// holds says how long a rule holds.
function holds(r: Rule): string {
  if (r.source === "--yes") return "until the engine stops"
  if (r.scope === "session") return "in this session"
  if (r.scope) return "for " + r.scope
  return "in all sessions, until you remove it from the configuration and restart the engine"
}

// Source leads from a rule that an answer made to the questions, which say who answered.
function Source({ of }: { of: string }): VNode {
  if (!of.startsWith("yes to ")) return <Visible text={of} />
  return (
    <a href={to(place.value.session, "asks", "", { at: place.value.query.get("at") ?? "" })}>
      <Visible text={of} />
    </a>
  )
}
