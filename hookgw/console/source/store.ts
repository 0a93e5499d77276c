// The one place that speaks to the gateway: reads with ETags, writes that are sent once, and one WebSocket that tells
// when something changed. It folds nothing: what a read model says is drawn as it is.

import { signal, Signal } from "@preact/signals"
import { learn } from "./kit/time"
import { Problem } from "./wire"

// How things stand with the gateway. Out: the browser is not signed in.
export type Link = { is: "live" } | { is: "out" } | { is: "connecting" } | { is: "lost"; since: Date }

export const link = signal<Link>({ is: "connecting" })

// A read of one path. Value keeps the last good answer, also while there is no connection.
export interface Read<T> {
  value: Signal<T | undefined>
  error: Signal<string>
}

interface Kept extends Read<unknown> {
  tag: string
  text: string
  shown: number // how many views show it
  running: boolean
  again: boolean // it changed while it was being read
}

const reads = new Map<string, Kept>()

// use returns the read of a path and keeps it current until drop is called.
export function use<T>(path: string): { read: Read<T>; drop: () => void } {
  let kept = reads.get(path)
  if (!kept) {
    kept = { value: signal(undefined), error: signal(""), tag: "", text: "", shown: 0, running: false, again: false }
    reads.set(path, kept)
  }
  const own = kept
  own.shown++
  if (worthReading(path, own)) void refresh(path, own)
  return {
    read: own as Read<T>,
    drop: () => {
      own.shown--
      forgetReads()
    },
  }
}

// spare is how many reads that nothing shows are kept, for who comes back.
const spare = 20

// forgetReads drops the oldest reads that nothing shows.
function forgetReads(): void {
  const unseen = [...reads].filter(([, kept]) => kept.shown === 0)
  for (const [path] of unseen.slice(0, -spare)) reads.delete(path)
}

// settled reports whether a read was answered and stays the same: an event, the past, and a search until it is asked anew.
function settled(path: string, kept: Kept): boolean {
  return kept.text !== "" && /[?&]at=|^\/api\/(log\/|search\?)/.test(path)
}

// worthReading reports whether a component that comes to a read may get another answer than the kept one.
function worthReading(path: string, kept: Kept): boolean {
  return !settled(path, kept) || path.startsWith("/api/search?")
}

async function refresh(path: string, kept: Kept): Promise<void> {
  if (kept.running) {
    kept.again = true
    return
  }
  kept.running = true
  try {
    const answer = await fetch(path, kept.tag ? { headers: { "If-None-Match": kept.tag } } : {})
    learn(answer.headers.get("Date"))
    if (answer.status === 401) link.value = { is: "out" }
    if (answer.status === 200) {
      const text = await answer.text()
      kept.tag = answer.headers.get("ETag") ?? ""
      if (text !== kept.text) {
        kept.text = text
        kept.value.value = JSON.parse(text, exact)
      }
      kept.error.value = ""
    } else if (answer.status !== 304) {
      kept.error.value = told(await problemOf(answer))
    }
  } catch {
    kept.error.value = "The gateway is not responding; the data shown may be out of date."
  }
  kept.running = false
  if (kept.again) {
    kept.again = false
    if (worthReading(path, kept)) setTimeout(() => void refresh(path, kept), 250) // at most four reads a second
  }
}

// ask reads a path once, past what is kept of it; undefined if the gateway does not answer or refuses.
export async function ask<T>(path: string): Promise<T | undefined> {
  try {
    const answer = await fetch(path)
    return answer.ok ? ((await answer.json()) as T) : undefined
  } catch {
    return undefined
  }
}

// exact keeps a number that a double would change as it was written: a person approves what is shown, and what is sent
// back after an edit is the same.
export function exact(_: string, value: unknown, as?: { source?: string }): unknown {
  if (typeof value !== "number" || as?.source === undefined) return value
  const digits = as.source.replace(/e.*$/i, "").replace(/[-.]/g, "").replace(/^0+/, "")
  if (digits.length <= 15) return value
  const raw = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON
  return raw ? raw(as.source) : as.source
}

// isExact reports whether a value is a number that exact kept as it was written.
export function isExact(value: unknown): boolean {
  return (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false
}

// The console that the gateway serves may be newer than this page, after an upgrade.
export const upgraded = signal(false)

const build = () => document.querySelector<HTMLMetaElement>("meta[name=build]")?.content

async function checkBuild(): Promise<void> {
  const answer = await fetch("/").catch(() => undefined)
  const served = answer?.ok && /<meta name="build" content="([^"]*)">/.exec(await answer.text())
  if (served && served[1] !== build()) upgraded.value = true
}

// refreshShown reads again what is on the screen.
export function refreshShown(): void {
  for (const [path, kept] of reads) if (kept.shown > 0 && !settled(path, kept)) void refresh(path, kept)
}

async function problemOf(answer: Response): Promise<Problem> {
  try {
    return await answer.json()
  } catch {
    return { error: `the gateway answered with status ${answer.status}` }
  }
}

export function told(p: Problem): string {
  return p.hint ? `${p.error}. ${p.hint}` : p.error
}

// What became of a write. Unsure: the connection broke while the answer was under way, so that it may have counted.
export type Sent = { is: "ok"; body: unknown } | { is: "refused"; problem: Problem } | { is: "unsure" }

// send posts a body once; it never repeats it.
export async function send(path: string, body: unknown): Promise<Sent> {
  let answer: Response
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
  } catch {
    return { is: "unsure" }
  }
  if (answer.ok) return { is: "ok", body: await answer.json().catch(() => ({})) }
  if (answer.status === 401) link.value = { is: "out" }
  return { is: "refused", problem: await problemOf(answer) }
}

const slowest = 10_000 // milliseconds between attempts to connect

let socket: WebSocket | undefined
let followed = "" // the session on the screen

// A piece of text that a model writes now; see Delta in docs/asyncapi.yaml.
export interface Delta {
  stream_id: string
  request: string
  piece: number
  delta: string
}

// The text of each open request to a model of the session on the screen, as far as it came. It is never stored; the
// read models have it once it is whole.
export const writing = signal<Record<string, string>>({})

// longest limits the text that is kept of one request.
const longest = 20_000

function write(d: Delta): void {
  const before = d.piece === 0 ? "" : (writing.value[d.request] ?? "")
  writing.value = { ...writing.value, [d.request]: (before + d.delta).slice(-longest) }
}

// forget drops the text of requests that are answered.
export function forget(open: Set<string>): void {
  const kept = Object.entries(writing.peek()).filter(([request]) => open.has(request))
  if (kept.length < Object.keys(writing.peek()).length) writing.value = Object.fromEntries(kept)
}

// follow makes a session the one whose changes come at once and whose models are heard; empty: the current one.
export function follow(session: string): void {
  if (followed === session) return
  followed = session
  writing.value = {}
  socket?.close() // the next connection is for the new session
}

// connect keeps the WebSocket open. Its first message after each connection makes everything shown be read again, so
// that nothing is missed however long it was away, and nothing is there twice.
export function connect(wait = 500): void {
  const of = followed
  const own = new WebSocket(
    `ws://${location.host}/ws?channels=changed,streams${of ? "&session=" + encodeURIComponent(of) : ""}`,
  )
  socket = own
  let opened = false
  own.onmessage = (m) => {
    const message = JSON.parse(m.data as string) as { channel: string; payload: unknown }
    if (message.channel === "hello") {
      opened = true
      link.value = { is: "live" }
      void checkBuild()
    }
    if (message.channel === "changed") refreshShown()
    if (message.channel === "streams") write(message.payload as Delta)
  }
  own.onclose = () => {
    if (link.value.is === "out") return
    writing.value = {}
    if (of !== followed) return connect()
    if (link.value.is !== "lost") link.value = { is: "lost", since: new Date() }
    refreshShown() // tells whether the gateway is away or the sign-in has ended
    setTimeout(() => connect(opened ? 500 : Math.min(2 * wait, slowest)), opened ? 500 : wait)
  }
}

// Tabs of this browser that were signed out go on where they are when another one signs in.
const tabs = new BroadcastChannel("slop")
tabs.onmessage = () => {
  if (link.value.is === "out") location.reload()
}

// The part of an address that signs in.
export const login = /^#login=(.+)$/

// signIn exchanges the code in the address, if there is one, and removes it from there and from the history.
export async function signIn(): Promise<string> {
  const code = login.exec(location.hash)
  if (!code) return ""
  history.replaceState(null, "", "/#/inbox")
  const sent = await send("/api/console/login", { code: code[1] })
  if (sent.is === "ok") {
    tabs.postMessage("signed in")
    return ""
  }
  link.value = { is: "out" }
  return sent.is === "refused" ? told(sent.problem) : "The gateway does not answer."
}
