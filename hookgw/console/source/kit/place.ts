// Where the page is: "#/s/SESSION/VIEW/REST?QUERY" for a view of a session, "#/VIEW/REST?QUERY" for the others.

import { signal } from "@preact/signals"

export interface Place {
  view: string
  session: string // empty: a view of all sessions
  rest: string
  query: URLSearchParams
}

export const place = signal<Place>(read(location.hash))

export function read(hash: string): Place {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/, 2)
  const parts = path.split("/")
  const session = parts[0] === "s" && parts[1] ? decoded(parts[1]) : ""
  const [view, ...rest] = session ? parts.slice(2) : parts
  return {
    view: view || (session ? "live" : "inbox"),
    session,
    rest: decoded(rest.join("/")),
    query: new URLSearchParams(query ?? ""),
  }
}

// visit goes to an address at once, so that the next key finds the page there.
export function visit(hash: string): void {
  location.hash = hash
  place.value = read(hash)
}

// to is the address of a view. Empty members of the query are left out.
export function to(session: string, view: string, rest = "", query: Record<string, string> = {}): string {
  const path = ["#", ...(session ? ["s", encodeURIComponent(session)] : []), view]
  if (rest) path.push(encodeURIComponent(rest))
  const given = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== ""))
  return path.join("/") + (given.size > 0 ? "?" + given : "")
}

// api is the path of a read of the session on the screen, at the position that the address names.
export function api(path: string, query: Record<string, string> = {}): string {
  const p = place.value
  const all = new URLSearchParams({ session: p.session, ...query })
  const at = p.query.get("at")
  if (at) all.set("at", at)
  return path + "?" + all
}

// decoded returns a part of the address; a part that was typed wrongly as it is.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
