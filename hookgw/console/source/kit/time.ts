import { signal } from "@preact/signals"

// now changes once a second.
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1000)

// age is how long ago something happened, in the largest unit that fits.
export function age(since: string): string {
  const s = Math.max(0, Math.round((now.value - Date.parse(since)) / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  if (s < 86400) return `${Math.floor(s / 3600)} h`
  return `${Math.floor(s / 86400)} d`
}
