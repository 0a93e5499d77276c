import { signal } from "@preact/signals"

// skew is how far the clock of the engine is ahead of this computer's, in milliseconds; 0 below two seconds.
export const skew = signal(0)

// now is the time by the clock of the engine, as events have it. It changes once a second.
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now() + skew.value
}, 1000)

// learn takes the time of an answer of the engine, which has whole seconds.
export function learn(date: string | null): void {
  const ahead = Date.parse(date ?? "") + 500 - Date.now()
  if (Number.isNaN(ahead) || Math.abs(ahead - skew.value) < 2000) return
  skew.value = Math.abs(ahead) < 2000 ? 0 : ahead
  now.value = Date.now() + skew.value
}

// age is how long ago something happened, in the largest unit that fits.
export function age(since: string): string {
  const s = Math.max(0, Math.round((now.value - Date.parse(since)) / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  if (s < 86400) return `${Math.floor(s / 3600)} h`
  return `${Math.floor(s / 86400)} d`
}
