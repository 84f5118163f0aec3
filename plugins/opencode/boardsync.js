// made by boardsync init: tells boardsync what opencode's sessions are doing.
import { spawn, spawnSync } from "node:child_process";

const PROGRAM = "boardsync";
const EVENTS = {
  "session.created": "SessionStart",
  "session.idle": "Stop",
  "session.deleted": "SessionEnd",
  "permission.asked": "PermissionRequest",
  "permission.updated": "PermissionRequest",
};

export const Boardsync = async ({ directory }) => {
  const open = new Set();
  const args = ["hook", "--agent", "opencode"];
  const inputOf = (event, id, title) =>
    JSON.stringify({ hook_event_name: event, session_id: id, cwd: directory, session_title: title });
  const run = (input) =>
    new Promise((done) => {
      const child = spawn(PROGRAM, args, { stdio: ["pipe", "ignore", "ignore"], timeout: 3000 });
      child.on("error", done).on("close", done);
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  // One after the other: a short turn begins and ends within the time that a call takes.
  let last = Promise.resolve();
  const call = (event, id, title) => {
    last = last.then(() => run(inputOf(event, id, title))).catch(() => {});
  };
  const end = (id) => {
    try {
      spawnSync(PROGRAM, args, { input: inputOf("SessionEnd", id), timeout: 3000 });
    } catch {}
  };
  // On exit nothing asynchronous runs any more.
  process.on("exit", () => open.forEach(end));
  return {
    event: async ({ event }) => {
      const { info, sessionID, status } = event.properties ?? {};
      const id = sessionID ?? info?.id;
      // A session with a parent is a sub-agent's.
      if (!id || info?.parentID) return;
      const busy = event.type === "session.status" && status?.type === "busy";
      const name = busy ? "UserPromptSubmit" : EVENTS[event.type];
      if (!name) return;
      if (name === "SessionEnd") open.delete(id);
      if (name === "SessionStart") open.add(id);
      if (name === "SessionStart" || open.has(id) || name === "SessionEnd") call(name, id, info?.title);
    },
    dispose: async () => {
      await last;
      open.forEach(end);
      open.clear();
    },
  };
};
