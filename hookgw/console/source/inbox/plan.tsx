// A plan that waits for a yes: its tickets, as they are and as a person edits them.

import { h, Fragment, VNode } from "preact"
import { Visible } from "../kit/text"
import { InboxAsk } from "../wire"

// The gate of the tickets of a track.
export const planGate = "plan"

export interface PlanTicket {
  id: string
  description: string
  depends_on: string[] | null
  target_file?: string
  check?: string
  priority: string
  [other: string]: unknown
}

// ticketsOf returns the tickets of a plan; undefined: the question is no plan.
export function ticketsOf(ask: InboxAsk | undefined): PlanTicket[] | undefined {
  if (ask?.gate !== planGate) return undefined
  const tickets = (ask.args as { tickets?: unknown } | undefined)?.tickets
  return Array.isArray(tickets) ? (tickets as PlanTicket[]) : undefined
}

export function Plan({ tickets }: { tickets: PlanTicket[] }): VNode {
  return (
    <table aria-label="Tickets of the plan">
      <thead>
        <tr>
          {["Ticket", "What", "After", "File", "Proof", "Priority"].map((n) => (
            <th scope="col">{n}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tickets.map((t) => (
          <tr key={t.id}>
            {[t.id, t.description, (t.depends_on ?? []).join(", "), t.target_file, t.check, t.priority].map((text) => (
              <td class="text">
                <Visible text={text ?? ""} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// words splits what a person typed into ids.
const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

interface EditProps {
  tickets: PlanTicket[]
  onEdit: (tickets: PlanTicket[]) => void
}

export function PlanEditor({ tickets, onEdit }: EditProps): VNode {
  const change = (n: number, part: Partial<PlanTicket>) => onEdit(tickets.map((t, i) => (i === n ? { ...t, ...part } : t)))
  const add = () => {
    let n = tickets.length + 1
    while (tickets.some((t) => t.id === `T-${String(n).padStart(3, "0")}`)) n++
    const id = `T-${String(n).padStart(3, "0")}`
    onEdit([...tickets, { id, description: "", depends_on: [], priority: "medium", status: "todo" }])
  }
  const remove = (gone: PlanTicket) =>
    onEdit(
      tickets
        .filter((t) => t !== gone)
        .map((t) =>
          t.depends_on?.includes(gone.id) ? { ...t, depends_on: t.depends_on.filter((id) => id !== gone.id) } : t,
        ),
    )
  return (
    <section aria-label="Edited plan">
      {tickets.map((t, n) => (
        <fieldset key={n} class="card">
          <legend>
            <Visible text={t.id} />
          </legend>
          <label class="edit">
            What
            <textarea
              aria-label={"what " + t.id}
              value={t.description}
              onInput={(e) => change(n, { description: e.currentTarget.value })}
            />
          </label>
          <p class="acts">
            <label>
              After{" "}
              <input
                aria-label={"after " + t.id}
                value={(t.depends_on ?? []).join(", ")}
                onChange={(e) => change(n, { depends_on: words(e.currentTarget.value) })}
              />
            </label>
            <label>
              File{" "}
              <input
                aria-label={"file " + t.id}
                value={t.target_file ?? ""}
                onInput={(e) => change(n, { target_file: e.currentTarget.value || undefined })}
              />
            </label>
            <label>
              Proof{" "}
              <input
                aria-label={"proof " + t.id}
                value={t.check ?? ""}
                onInput={(e) => change(n, { check: e.currentTarget.value || undefined })}
              />
            </label>
            <label>
              Priority{" "}
              <select
                aria-label={"priority " + t.id}
                value={t.priority}
                onChange={(e) => change(n, { priority: e.currentTarget.value })}
              >
                {["high", "medium", "low"].map((p) => (
                  <option value={p}>{p}</option>
                ))}
              </select>
            </label>
            <button onClick={() => remove(t)}>Remove {t.id}</button>
          </p>
        </fieldset>
      ))}
      <button onClick={add}>Add a ticket</button>
    </section>
  )
}

// Changed says what an edit did to a plan.
export function Changed({ from, to }: { from: PlanTicket[]; to: PlanTicket[] }): VNode {
  const before = new Map(from.map((t) => [t.id, JSON.stringify(t)]))
  const after = new Set(to.map((t) => t.id))
  const notes = [
    ...to.filter((t) => !before.has(t.id)).map((t) => "+ " + t.id),
    ...to.filter((t) => before.has(t.id) && before.get(t.id) !== JSON.stringify(t)).map((t) => "~ " + t.id),
    ...from.filter((t) => !after.has(t.id)).map((t) => "− " + t.id),
  ]
  return (
    <Fragment>
      {notes.length === 0 ? (
        "Nothing was edited."
      ) : (
        <Visible text={"Edited: " + notes.join(", ")} />
      )}
    </Fragment>
  )
}
