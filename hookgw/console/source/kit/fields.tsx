// Fields of /api/gui: what each means, what it is now, and a control that sets it.

import { h, Fragment, VNode } from "preact"
import { useState } from "preact/hooks"
import { ask } from "../store"
import { useRead } from "./read"
import { Said, useActs } from "./act"
import { api } from "./place"
import { Visible } from "./text"

export interface Field {
  name: string
  type: string
  settable: boolean
  values?: string[]
  doc: string
  value: unknown
}

export interface GUI {
  fields: Field[]
  tasks: { action: string; item?: string; error?: string }[]
}

// Form offers fields by name, each with a control; rows makes a table of them instead, with a column for each of heads.
export function Form({ name, of, rows, heads }: {
  name: string
  of?: string[]
  rows?: { name: string; fields: string[] }[]
  heads?: string[]
}): VNode {
  const path = api("/api/gui")
  const read = useRead<GUI>(path)
  const acts = useActs()
  const [drafts, setDrafts] = useState<Record<string, string>>({})
  const gui = read.value.value
  if (!gui) return <p>{read.error.value || "Reading …"}</p>
  const field = new Map(gui.fields.map((f) => [f.name, f]))
  const changed = Object.keys(drafts).filter((n) => drafts[n] !== written(field.get(n)!))
  // The answer to a task says nothing of it; why it failed is in the list of tasks.
  const refused = async (item: string) => {
    const tasks = (await ask<GUI>(path))?.tasks
    if (!tasks) return "The outcome is unknown; check the value."
    return tasks.findLast((t) => t.action === "set_value" && t.item === item)?.error ?? ""
  }
  const apply = async () => {
    for (const item of changed) {
      const body = { action: "set_value", item, value: meant(field.get(item)!, drafts[item]) }
      const done = changed.length === 1 ? "Changed." : `${changed.length} fields changed.`
      if (!(await acts.act("/api/gui", body, done, () => refused(item), named(item) + ": "))) return
      setDrafts((all) => Object.fromEntries(Object.entries(all).filter(([n]) => n !== item)))
    }
  }
  const control = (n: string) => {
    const f = field.get(n)
    return (
      f && (
        <Control
          field={f}
          options={optionsOf(f, field)}
          text={drafts[n] ?? written(f)}
          onText={(text) => setDrafts((all) => ({ ...all, [n]: text }))}
        />
      )
    )
  }
  return (
    <form
      aria-label={name}
      onSubmit={(e) => {
        e.preventDefault()
        void apply()
      }}
    >
      {rows ? (
        <table aria-label={name}>
          <thead>
            <tr>
              {heads!.map((head) => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">
                  {row.name}
                  <p class="quiet">
                    <Visible text={field.get(row.fields[0])?.doc.replace(/ of tier \d/, "") ?? ""} />
                  </p>
                </th>
                {row.fields.map((n) => (
                  <td>{control(n)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <dl class="form">
          {of!.map((n) => (
            <Fragment>
              <dt>{named(n)}</dt>
              <dd>
                {control(n)}
                <p class="quiet">
                  <Visible text={field.get(n)?.doc ?? ""} />
                </p>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      <p class="acts">
        <button disabled={acts.busy || changed.length === 0}>
          {changed.length < 2 ? "Change" : `Change ${changed.length} fields`}
        </button>
        {changed.length > 0 && (
          <button type="button" disabled={acts.busy} onClick={() => setDrafts({})}>
            Leave it
          </button>
        )}
        <Said acts={acts} />
      </p>
    </form>
  )
}

// named is a field's name in words.
export function named(field: string): string {
  return field.replace(/^tier(\d)_(.*)$/, "$2 of tier $1").replaceAll("_", " ")
}

// A select for the fields whose values are known, a text for the others.
function Control({ field: f, options, text, onText }: {
  field: Field
  options?: string[]
  text: string
  onText: (text: string) => void
}): VNode {
  const common = { name: f.name, "aria-label": named(f.name) }
  if (f.type === "boolean")
    return (
      <input
        {...common}
        type="checkbox"
        checked={text === "true"}
        onChange={(e) => onText(String(e.currentTarget.checked))}
      />
    )
  if (options)
    return (
      <select {...common} value={text} onChange={(e) => onText(e.currentTarget.value)}>
        {[...new Set([...options, text])].map((o) => (
          <option value={o}>{o ? <Visible text={o} /> : "none"}</option>
        ))}
      </select>
    )
  if (f.type === "array" || /prompt|context/.test(f.name))
    return <textarea {...common} value={text} onInput={(e) => onText(e.currentTarget.value)} />
  return <input {...common} value={text} onInput={(e) => onText(e.currentTarget.value)} />
}

// optionsOf lists the values that a field takes, if they are known: those of the field, or the names of the session's
// personas or presets.
function optionsOf(f: Field, all: Map<string, Field>): string[] | undefined {
  if (f.values?.length) return f.values
  const kind = /^tier\d_(persona|tool_preset|bias_profile|prompt_preset)$/.exec(f.name)
  return kind ? ["", ...(all.get(kind[1] + "s")!.value as string[])] : undefined
}

// written is the value of a field as a text to edit; a list has a line for each entry.
function written(f: Field): string {
  if (f.value === null || f.value === undefined) return ""
  if (f.type === "array") return (f.value as unknown[]).join("\n")
  return String(f.value)
}

// meant is the value that a text means. What is no number becomes null, which the gateway refuses with what is allowed.
function meant(f: Field, text: string): unknown {
  switch (f.type) {
    case "array":
      return text.split("\n").map((line) => line.trim()).filter(Boolean)
    case "boolean":
      return text === "true"
    case "integer":
    case "number":
      return text.trim() === "" ? null : Number(text)
  }
  return text
}
