// Tells the agent of unread mail. Written by `postroom setup opencode`; `postroom unsetup opencode` removes it.
import { execFile } from "node:child_process"

const PROGRAM = "postroom"

export const Postroom = async ({ directory }) => {
  const compacted = new Set()
  const ask = (event, session) =>
    new Promise((resolve) => {
      const done = (error, text) => resolve(error ? "" : text.trim())
      const child = execFile(PROGRAM, ["hook", "--host", "opencode"], { cwd: directory, timeout: 5000 }, done)
      child.stdin?.on("error", () => {})
      child.stdin?.end(JSON.stringify({ hook_event_name: event, session_id: session, cwd: directory }))
    })
  return {
    event: async ({ event }) => {
      if (event.type === "session.compacted") compacted.add(event.properties?.sessionID)
    },
    "chat.message": async ({ sessionID }, output) => {
      const text = await ask(compacted.delete(sessionID) ? "session.compacted" : "chat.message", sessionID)
      if (!text) return
      const id = `prt_${Date.now().toString(16)}${Math.random().toString(36).slice(2)}`
      output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async ({ sessionID }, output) => {
      const text = await ask("tool.execute.after", sessionID)
      if (text && typeof output.output === "string") output.output += `\n\n${text}`
    },
  }
}
