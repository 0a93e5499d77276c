// Figures as people read them.

// money shows millionths of a dollar; unpriced: a part has no known price.
export function money(micro: number, unpriced = false): string {
  const dollars = micro / 1e6
  return (unpriced ? "≥ " : "") + "$" + dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)
}

export function count(n: number): string {
  if (n < 10_000) return String(n)
  return n < 1e6 ? (n / 1e3).toFixed(1) + "k" : (n / 1e6).toFixed(1) + "M"
}

// duration is how long something took; clocks that differ make it no less than nothing.
export function duration(ms: number): string {
  if (!(ms > 0)) return "0 ms"
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  return n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`
}

// clock is the time of day of an event, in this browser's time zone.
export function clock(time: string): string {
  return new Date(time).toLocaleTimeString(undefined, { hour12: false })
}

// The states of tickets, spans and workers: a shape and a word, so that colour is never alone.
const shapes: Record<string, string> = {
  todo: "○",
  in_progress: "◐",
  completed: "✓",
  blocked: "✗",
  open: "◐",
  running: "◐",
  waiting: "○",
  starting: "○",
  done: "✓",
  stop: "✓",
  tool_calls: "✓",
  yes: "✓",
  merged: "✓",
  no: "⊘",
  denied: "⊘",
  expired: "⊘",
  failed: "✗",
  given_up: "✗",
  killed: "✗",
  stopped: "✗",
  idle: "○",
  planning: "◐",
  executing: "◐",
}

// callState is the state of a call of a tool: one that is open waits until its work has begun.
export function callState(s: { state: string; began?: string }): string {
  return state(s.state !== "open" ? s.state : s.began ? "running" : "waiting")
}

export function state(s: string): string {
  return (shapes[s] ?? "·") + " " + s.replace(/_/g, " ")
}
