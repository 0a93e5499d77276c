// What changed: the files that calls wrote, by whom, the difference, and what accepts or gives back each.

import { h, Fragment, VNode } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import { useRead } from "../kit/read"
import { show } from "../kit/keys"
import { Said, useActs } from "../kit/act"
import { Sure } from "../kit/sure"
import { clock } from "../kit/format"
import { api, place, to, visit } from "../kit/place"
import { Diff, Visible } from "../kit/text"
import { Change, Changes as Answer, FileDiff, Tickets } from "../wire"

export function Changes(): VNode {
  const { session, rest, query } = place.value
  const ticket = query.get("ticket") ?? ""
  const from = query.get("from") ?? ""
  const read = useRead<Answer>(api("/api/changes", { ...(ticket ? { ticket } : {}), ...(from ? { from } : {}) }))
  const files = read.value.value?.files ?? []
  const key = (f: Change) => f.path + (f.workspace ? "@" + f.workspace : "")
  const at = files.findIndex((f) => key(f) === rest)
  const link = (f: Change) => to(session, "changes", key(f), Object.fromEntries(query))
  const go = (n: number) => {
    const next = files[Math.max(0, Math.min(files.length - 1, n))]
    if (next) visit(link(next))
  }
  useLayoutEffect(() =>
    show({
      j: { does: "next file", run: () => go(at + 1) },
      k: { does: "previous file", run: () => go(at < 0 ? 0 : at - 1) },
    }),
  )
  return (
    <div class="inbox">
      <nav aria-label="Files">
        {ticket && (
          <p>
            only <Visible text={ticket} />{" "}
            <a href={to(session, "changes", rest, { from, at: query.get("at") ?? "" })}>all ✕</a>
          </p>
        )}
        <Compared key={from} from={from} />
        {read.error.value && (
          <p class="warn" role="alert">
            {read.error.value}
          </p>
        )}
        {read.value.value && files.length === 0 && (
          <p class="quiet">
            {ticket ? (
              <Fragment>
                <Visible text={ticket} /> changed no file. <a href={to(session, "changes")}>Files that others changed</a>
              </Fragment>
            ) : from ? "No file changed after this event." : "No files have changed. Calls that write a file list it here."}
          </p>
        )}
        <ul>
          {files.map((f) => (
            <li key={key(f)}>
              <a href={link(f)} aria-current={key(f) === rest ? "true" : undefined} class={f.accepted ? "over" : ""}>
                <span class="row">
                  <b>
                    <Visible text={f.path} />
                  </b>
                  <span>{noteOf(f)}</span>
                </span>
                <span class="quiet title">
                  <Visible text={byWhom(f)} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        {read.value.value?.unseen.map((u) => (
          <p class="warn">
            <Visible text={(u.ticket ?? "") + " " + u.tool} /> may have changed files that are not listed.
          </p>
        ))}
      </nav>
      <main aria-label="File">
        {at >= 0 ? (
          <File key={rest + ticket + from} change={files[at]} ticket={ticket} from={from} />
        ) : (
          <p class="quiet">Press j or click to choose a file.</p>
        )}
      </main>
    </div>
  )
}

// Compared is a form for the event to compare with.
function Compared({ from }: { from: string }): VNode {
  const { session, rest, query } = place.value
  const [seq, setSeq] = useState(from)
  const link = (from: string) =>
    to(session, "changes", rest, { ticket: query.get("ticket") ?? "", at: query.get("at") ?? "", from })
  return (
    <form
      class="acts"
      onSubmit={(e) => {
        e.preventDefault()
        visit(link(seq.trim()))
      }}
    >
      <label>
        Since event{" "}
        <input
          size={6}
          inputMode="numeric"
          pattern="[0-9]*"
          value={seq}
          placeholder="first"
          onInput={(e) => setSeq(e.currentTarget.value)}
        />
      </label>
      <button disabled={seq.trim() === from}>Compare</button>
      {from ? <a href={link("")}>the whole session</a> : <a href={to(session, "replay")}>Events have numbers in Replay</a>}
    </form>
  )
}

// restore is the tool that carries out undos. No model calls it, and the timeline has no row for it.
const restore = "restore_files"

// byWhom names the tickets that wrote a file, or the people whose calls have no ticket.
function byWhom(f: Change): string {
  return [...new Set(f.writes.map((w) => w.ticket || `${w.tool} by ${w.by}`))].join(", ")
}

function noteOf(f: Change): string {
  const notes = []
  if (!f.before) notes.push("new")
  else if (!f.after && !f.unknown) notes.push("removed")
  if (f.accepted) notes.push("accepted")
  return notes.join(", ")
}

function File({ change: f, ticket, from }: { change: Change; ticket: string; from: string }): VNode {
  const read = useRead<FileDiff>(
    api("/api/changes/diff", {
      path: f.path,
      ...(f.workspace ? { workspace: f.workspace } : {}),
      ...(ticket ? { ticket } : {}),
      ...(from ? { from } : {}),
    }),
  )
  const tickets = useRead<Tickets>(api("/api/tickets")).value.value?.tickets ?? []
  const about = new Map(tickets.map((t) => [t.id, t.description]))
  const acts = useActs()
  const [all, setAll] = useState(false)
  const d = read.value.value
  const { session, rest } = place.value
  const undo = () => {
    void acts.act(
      "/api/undo",
      { path: f.path, seen: f.after ?? "", ...(ticket ? { ticket } : from ? { to_seq: Number(from) } : {}) },
      "The file was restored.",
    )
  }
  return (
    <article>
      <h2>
        <Visible text={f.path} />{" "}
        {d && !d.no_diff && (
          <span class="quiet">
            +{d.added} −{d.removed}
          </span>
        )}
      </h2>
      {f.workspace && (
        <p class="quiet">
          in the workspace <Visible text={f.workspace} />
        </p>
      )}
      <div class="acts">
        {!f.accepted && !f.unknown && (
          <button
            disabled={acts.busy}
            onClick={() =>
              void acts.act(
                "/api/changes/accept",
                { path: f.path, sha256: f.after ?? "" },
                "Accepted until it changes again.",
              )
            }
          >
            Accept
          </button>
        )}
        {!(ticket && from) && ( // an undo takes only one of them
          <Sure
            name="Undo …"
            disabled={acts.busy}
            what={
              <Fragment>
                <Visible text={f.path} /> gets back the content that it had{" "}
                {ticket && <Fragment>before <Visible text={ticket} /></Fragment>}
                {!ticket && (from ? `at event ${from}` : "before the session")}. What{" "}
                {f.writes.length === 1 ? "the call" : `all ${f.writes.length} calls`} in the list wrote is undone. If the
                file has changed in another way since, nothing is undone.
              </Fragment>
            }
            onYes={undo}
          />
        )}
        <Said acts={acts} />
      </div>
      {read.error.value && (
        <p class="warn" role="alert">
          {read.error.value}
        </p>
      )}
      {d?.no_diff && (
        <p class="warn">
          No difference to show: <Visible text={d.no_diff} />
        </p>
      )}
      {d?.diff && <Diff text={d.diff} all={all} onAll={() => setAll(true)} />}
      <h3>Who wrote it</h3>
      <table>
        <thead>
          <tr>
            {["When", "Ticket", "Why", "Approved by", "Call"].map((n) => (
              <th scope="col">{n}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {f.writes.map((w) => (
            <tr>
              <td class="brief">{clock(w.time)}</td>
              <td>
                {w.ticket && (
                  <a class="brief" href={to(session, "tickets", w.ticket)}>
                    <Visible text={w.ticket} />
                  </a>
                )}
              </td>
              <td>
                {w.ticket && (
                  <Fragment>
                    <Visible text={about.get(w.ticket) ?? ""} />{" "}
                    {w.tool !== restore && (
                      <a href={to(session, "conversation", w.ticket, { call: w.call })}>what the model said</a>
                    )}
                  </Fragment>
                )}
              </td>
              <td>
                {w.by.startsWith("rule") ? (
                  <a href={to(session, "settings")}>
                    <Visible text={w.by} />
                  </a>
                ) : (
                  <Visible text={w.by} />
                )}
              </td>
              <td class="acts">
                {w.tool === restore ? (
                  "undo"
                ) : (
                  <a href={to(session, "timeline", w.call)}>
                    <Visible text={w.tool} />
                  </a>
                )}
                <a href={to(session, "changes", f.workspace ? "" : rest, { from: String(w.seq - 1), at: String(w.seq) })}>its diff</a>
                <Sure
                  name="Undo it …"
                  disabled={acts.busy}
                  what={
                    <Fragment>
                      <Visible text={f.path} /> gets back the content that it had before this call of <Visible text={w.tool} />.
                      If the file has changed since the call, nothing is undone.
                    </Fragment>
                  }
                  onYes={() => void acts.act("/api/undo", { call: w.call, path: f.path }, "The file was restored.")}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  )
}
