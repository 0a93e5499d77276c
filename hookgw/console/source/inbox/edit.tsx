// The arguments of a yes as a person edits them: those of a call, of a start or a step, or the fields of a server's form.

import { h, VNode } from "preact"
import { exact } from "../store"
import { Visible } from "../kit/text"
import { InboxAsk } from "../wire"

// The gate of a form of an external server.
export const formGate = "input"

interface EditorProps {
  fields: Record<string, Field>
  onEdit: (f: Record<string, Field>) => void
  error: string
}

// An argument that a person may write: a text as it is, anything else as JSON.
export interface Field {
  text: boolean
  value: string
  note: string
}

interface Form {
  url?: string
  schema?: { properties?: Record<string, { type?: string; description?: string; enum?: unknown[]; default?: unknown }> }
}

// fieldsOf returns the arguments that a yes may have: those of a call, or the fields of a server's form. Undefined: none.
export function fieldsOf(ask: InboxAsk): Record<string, Field> | undefined {
  if (typeof ask.args !== "object" || ask.args === null || Array.isArray(ask.args)) return undefined
  const json = (v: unknown) => (v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v, null, 2))
  if (["tool", "spawn", "step"].includes(ask.gate))
    return Object.fromEntries(
      Object.entries(ask.args).map(([name, v]) => [name, { text: typeof v === "string", value: json(v), note: "" }]),
    )
  const form = ask.args as Form
  if (ask.gate !== formGate || form.url) return undefined
  return Object.fromEntries(
    Object.entries(form.schema?.properties ?? {}).map(([name, p]) => [
      name,
      {
        text: p.type === "string",
        value: json(p.default),
        note: [p.description, p.enum?.join(" | ")].filter(Boolean).join(": "),
      },
    ]),
  )
}

// argsOf returns the edited arguments, or why they are none. A field of a form that is left empty is left out.
export function argsOf(fields: Record<string, Field>, form: boolean): object | Error {
  const out: Record<string, unknown> = {}
  for (const [name, f] of Object.entries(fields)) {
    if (form && f.value === "") continue
    try {
      out[name] = f.text ? f.value : JSON.parse(f.value, exact)
    } catch {
      return new Error(name + " is not JSON")
    }
  }
  return out
}

export function Editor({ fields, onEdit, error }: EditorProps): VNode {
  return (
    <section aria-label="Edited arguments">
      {error && (
        <p class="warn" role="alert">
          <Visible text={error} />
        </p>
      )}
      {Object.entries(fields).map(([name, f]) => (
        <label class="edit">
          <Visible text={name} />{" "}
          <span class="quiet">
            <Visible text={f.note} />
          </span>
          <textarea
            rows={Math.min(30, f.value.split("\n").length + 1)}
            aria-label={"argument " + name}
            value={f.value}
            onInput={(e) => onEdit({ ...fields, [name]: { ...f, value: e.currentTarget.value } })}
          />
        </label>
      ))}
    </section>
  )
}
