// Words in the events of every session. A hit opens at its place.

import { h, VNode } from "preact"
import { useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { place, to, visit } from "../kit/place"
import { Visible } from "../kit/text"

interface Hit {
  session: string
  seq: number
  time: string
  type: string
  actor: string
  ticket?: string
  tool?: string
  snippet: string
  match: [number, number]
}

export function Search(): VNode {
  const asked = place.value.query.get("q") ?? ""
  const [words, setWords] = useState(asked)
  return (
    <main class="page" aria-label="Search">
      <h1>Search</h1>
      <form
        class="acts"
        onSubmit={(e) => {
          e.preventDefault()
          visit(to("", "search", "", { q: words.trim() }))
        }}
      >
        <input
          type="search"
          aria-label="Words"
          size={60}
          value={words}
          onInput={(e) => setWords(e.currentTarget.value)}
        />
        <button>Search</button>
      </form>
      <p class="quiet">Words, "phrases", word*, -word, and type: tier: ticket: tool: session: before: after:.</p>
      {asked && <Hits key={asked} q={asked} />}
    </main>
  )
}

function Hits({ q }: { q: string }): VNode {
  const read = useRead<{ hits: Hit[]; total: number; behind: number }>(
    "/api/search?" + new URLSearchParams({ q, limit: "100" }),
  )
  const found = read.value.value
  if (!found) return <p role="status">{read.error.value || "Searching …"}</p>
  return (
    <section aria-label="Hits">
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      <p role="status">
        {found.total} events{found.total > found.hits.length && `, the newest ${found.hits.length} are shown`}
        {found.behind > 0 && `; ${found.behind} newer events are not in the index yet`}.
      </p>
      <table>
        <thead>
          <tr>
            {["When", "Event", "Ticket", "Text"].map((n) => (
              <th scope="col">{n}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.hits.map((hit) => (
            <tr key={hit.session + hit.seq}>
              <td>
                <time dateTime={hit.time}>{new Date(hit.time).toLocaleString()}</time>
              </td>
              <td>
                <a href={to(hit.session, "event", String(hit.seq))}>
                  <Visible text={hit.type} /> {hit.seq}
                </a>
              </td>
              <td>
                <Visible text={hit.ticket ?? ""} />
              </td>
              <td>
                <Snippet hit={hit} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

// Snippet marks the match, whose place is in bytes.
function Snippet({ hit }: { hit: Hit }): VNode {
  const raw = new TextEncoder().encode(hit.snippet)
  const part = (from: number, until: number) => <Visible text={new TextDecoder().decode(raw.slice(from, until))} />
  const [from, until] = hit.match
  return (
    <span>
      {part(0, from)}
      <mark>{part(from, until)}</mark>
      {part(until, raw.length)}
    </span>
  )
}
