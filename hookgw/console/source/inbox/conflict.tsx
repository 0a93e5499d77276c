// Files of a ticket that conflict with what was merged before, and which side of each is taken.

import { h, VNode } from "preact"
import { useState } from "preact/hooks"
import { Visible } from "../kit/text"
import { InboxAsk } from "../wire"

const sides = [
  ["", "what is in the folder, once no marks are left"],
  ["ticket", "the ticket's version"],
  ["merged", "the version that was merged before"],
  ["file", "what is in the folder, even with marks"],
]

// conflictsOf returns the files in conflict that a question lists.
export function conflictsOf(ask: InboxAsk | undefined): string[] {
  const files = ask?.gate === "merge" ? (ask.args as { files?: unknown } | undefined)?.files : []
  return Array.isArray(files) ? files.filter((f) => typeof f === "string") : []
}

export function Conflict({ files, onTake }: { files: string[]; onTake: (take: Record<string, string>) => void }): VNode {
  const [take, setTake] = useState<Record<string, string>>({})
  const taken = Object.fromEntries(Object.entries(take).filter(([, side]) => side !== ""))
  return (
    <section class="whole" aria-label="Files in conflict">
      <table>
        <thead>
          <tr>
            <th scope="col">File in conflict</th>
            <th scope="col">Take</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr>
              <td>
                <Visible text={file} />
              </td>
              <td>
                <select
                  aria-label={"Version of " + file}
                  value={take[file] ?? ""}
                  onChange={(e) => setTake({ ...take, [file]: e.currentTarget.value })}
                >
                  {sides.map(([side, name]) => (
                    <option value={side}>{name}</option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button disabled={Object.keys(taken).length === 0} onClick={() => onTake(taken)}>
        Yes, with these versions
      </button>
    </section>
  )
}
