// Notifications of the desktop for new questions: off until the person switches them on in this browser.

import { signal } from "@preact/signals"
import { InboxAsk } from "../wire"

const key = "notify"

export const notices = signal(localStorage.getItem(key) === "on")

export async function switchNotices(): Promise<void> {
  const on = !notices.value && (await Notification.requestPermission()) === "granted"
  localStorage.setItem(key, on ? "on" : "off")
  notices.value = on
}

let known: Set<string> | undefined // undefined before the first list

// noticeOf tells of questions that were not there before, the page being hidden or not.
export function noticeOf(asks: InboxAsk[]): void {
  const fresh = known ? asks.filter((a) => !known!.has(a.request_id)) : []
  known = new Set(asks.map((a) => a.request_id))
  if (!notices.value || fresh.length === 0 || Notification.permission !== "granted") return
  const title = fresh.length === 1 ? "slop asks you" : `slop asks you ${fresh.length} questions`
  new Notification(title, {
    body: fresh
      .map((a) => a.title.slice(0, 200))
      .slice(0, 3)
      .join("\n"),
    tag: "slop",
  })
}
