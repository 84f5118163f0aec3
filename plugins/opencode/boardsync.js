// made by boardsync init: tells boardsync what opencode's sessions are doing.
import { spawn, spawnSync } from "node:child_process";

const PROGRAM = "boardsync";
const EVENTS = {
  "session.created": "SessionStart",
  "session.idle": "Stop",
  "session.deleted": "SessionEnd",
  "permission.asked": "Notification",
  "permission.updated": "Notification",
};

export const Boardsync = async ({ directory }) => {
  const open = new Set();
  const call = (event, id, title, run) => {
    const input = JSON.stringify({ hook_event_name: event, session_id: id, cwd: directory, session_title: title });
    const args = ["hook", "--agent", "opencode"];
    try {
      if (run === spawnSync) return spawnSync(PROGRAM, args, { input, timeout: 3000 });
      const child = spawn(PROGRAM, args, { stdio: ["pipe", "ignore", "ignore"] });
      child.on("error", () => {});
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    } catch {}
  };
  // On exit nothing asynchronous runs any more.
  process.on("exit", () => open.forEach((id) => call("SessionEnd", id, undefined, spawnSync)));
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
      if (name === "SessionStart" || open.has(id) || name === "SessionEnd") call(name, id, info?.title, spawn);
    },
    dispose: async () => {
      open.forEach((id) => call("SessionEnd", id, undefined, spawnSync));
      open.clear();
    },
  };
};
