// The frame: where the page is, how things stand with the gateway, and the keys.

import { h, render, Fragment, VNode } from "preact"
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { connect, link, login, signIn, upgraded } from "./store"
import { bind, known, listen } from "./kit/keys"
import { useRead } from "./kit/read"
import { noticeOf } from "./kit/notices"
import { now, skew } from "./kit/time"
import { duration } from "./kit/format"
import { place, read, to, visit } from "./kit/place"
import { SessionFrame, Tab } from "./session/session"
import { Live } from "./live/live"
import { Tickets } from "./tickets/tickets"
import { Asks } from "./asks/asks"
import { Timeline } from "./timeline/timeline"
import { Conversation } from "./conversation/conversation"
import { Changes } from "./changes/changes"
import { Cost } from "./cost/cost"
import { Discussion } from "./discussion/discussion"
import { OneEvent, Replay } from "./replay/replay"
import { Search } from "./search/search"
import { SettingsView } from "./settings/settings"
import { Goal } from "./goal/goal"
import { Inbox } from "./inbox/inbox"
import { Sessions } from "./sessions/sessions"
import { InboxAnswer } from "./wire"

const refused = signal("") // why a link did not sign in
const help = signal(false)

const views: { path: string; name: string; keys: string }[] = [
  { path: "#/inbox", name: "Inbox", keys: "g i" },
  { path: "#/sessions", name: "Sessions", keys: "g s" },
  { path: "#/search", name: "Search", keys: "g /" },
]

const tabs: Tab[] = [
  { view: "live", name: "Live", key: "l", draw: () => <Live /> },
  { view: "tickets", name: "Tickets", key: "t", draw: () => <Tickets /> },
  { view: "asks", name: "Questions", key: "q", draw: () => <Asks /> },
  { view: "timeline", name: "Timeline", key: "e", draw: () => <Timeline /> },
  { view: "conversation", name: "Conversation", key: "c", draw: () => <Conversation /> },
  { view: "changes", name: "Changes", key: "f", draw: () => <Changes /> },
  { view: "cost", name: "Cost", key: "$", draw: () => <Cost /> },
  { view: "discussion", name: "Discussion", key: "d", draw: () => <Discussion /> },
  { view: "replay", name: "Replay", key: "r", draw: () => <Replay /> },
  { view: "settings", name: "Settings", key: "h", draw: () => <SettingsView /> },
  { view: "goal", name: "New goal", key: "n", draw: () => <Goal /> },
]

// Views of a session that others lead to.
const hidden: Tab[] = [{ view: "event", name: "Event", key: "", draw: () => <OneEvent /> }]

function App(): VNode {
  if (link.value.is === "out") return <SignIn />
  return <Signed />
}

function SignIn(): VNode {
  return (
    <main class="page">
      <h1>slop</h1>
      {refused.value && (
        <p class="warn" role="alert">
          {refused.value}
        </p>
      )}
      <p>
        This browser is not signed in. Run <code>slop console</code> in the project's folder and open the link that it
        prints.
      </p>
    </main>
  )
}

function Signed(): VNode {
  const inbox = useRead<InboxAnswer>("/api/inbox").value.value
  const open = inbox?.asks
  const blocked = inbox?.blocked ?? []
  const asks = open?.length ?? 0
  useEffect(() => {
    if (open) noticeOf(open)
  }, [open])
  const { view, session, rest } = place.value
  document.title = asks > 0 ? `⚑ ${asks} · slop` : "slop"
  return (
    <Fragment>
      <header>
        <b>slop</b>
        <nav aria-label="Views">
          {views.map((v) => (
            <a href={v.path} aria-current={!session && v.path === "#/" + view ? "page" : undefined}>
              {v.name}
              {v.path === "#/inbox" && asks > 0 ? ` ⚑ ${asks}` : ""}
            </a>
          ))}
          {blocked.length > 0 && (
            <a
              class="warn"
              title={blocked.map((b) => b.ticket + ": " + (b.reason || b.kind)).join("\n")}
              href={blocked.length === 1 ? to(blocked[0].session, "tickets", blocked[0].ticket) : "#/inbox"}
            >
              ✗ {blocked.length} blocked
            </a>
          )}
        </nav>
        <span class="fill" />
        <Standing />
        <button onClick={() => (help.value = !help.value)} aria-expanded={help.value}>
          ? keys
        </button>
      </header>
      {upgraded.value && (
        <p class="page warn" role="alert">
          A newer version of the console is available. <button onClick={() => location.reload()}>Load it</button>
        </p>
      )}
      {help.value && (
        <aside aria-label="Keys">
          <dl>
            {known().map(([key, does]) => (
              <Fragment>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </aside>
      )}
      {session ? (
        <SessionFrame tabs={tabs} hidden={hidden} />
      ) : view === "sessions" ? (
        <Sessions />
      ) : view === "search" ? (
        <Search key={place.value.query.get("q")} />
      ) : (
        <Inbox selected={rest} />
      )}
    </Fragment>
  )
}

function Standing(): VNode {
  const l = link.value
  if (l.is === "live")
    return (
      <span role="status">
        ● connected
        {Math.abs(skew.value) > 60_000 && (
          <span class="quiet">
            ; this computer's clock is {duration(60_000 * Math.round(Math.abs(skew.value) / 60_000))} {skew.value < 0 ? "ahead" : "behind"}
          </span>
        )}
      </span>
    )
  if (l.is !== "lost") return <span role="status">○ connecting</span>
  const seconds = Math.max(0, Math.round((now.value - skew.value - l.since.getTime()) / 1000))
  return (
    <span role="status" class="warn">
      ◌ reconnecting since {l.since.toLocaleTimeString()} <span aria-hidden="true">({seconds} s)</span>
    </span>
  )
}

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#login="))
    location.reload() // a link that was pasted into this tab
  else place.value = read(location.hash)
})
listen()
bind({ "?": { does: "show or hide the keys", run: () => (help.value = !help.value) } })
for (const t of tabs) {
  const go = () => {
    const { session } = read(location.hash) // the page may not have followed the address yet
    if (session) visit(to(session, t.view))
  }
  bind({ ["g " + t.key]: { does: t.name + " of the session", run: go } })
}
for (const v of views) bind({ [v.keys]: { does: v.name, run: () => visit(v.path) } })
// start signs in and draws. Another page can open /console/enter only, which leads on with a code and else draws nothing
// that keys answer: a window that the person did not open must not take what the person types.
async function start(): Promise<void> {
  if (location.pathname !== "/console/enter") refused.value = await signIn()
  else if (login.test(location.hash)) return location.replace("/" + location.hash)
  else link.value = { is: "out" }
  place.value = read(location.hash)
  render(<App />, document.getElementById("app")!)
  if (link.value.is !== "out") connect()
}
void start()
