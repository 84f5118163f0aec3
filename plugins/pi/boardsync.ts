// made by boardsync init: tells boardsync what Pi's sessions are doing.
import { spawnSync } from "node:child_process";

const PROGRAM = "boardsync";

export default function (pi: any) {
  const on = (event: string, name: string) =>
    pi.on(event, async (_event: unknown, ctx: any) => {
      const session_id = ctx?.sessionManager?.getSessionId?.();
      if (!session_id) return;
      const input = JSON.stringify({ hook_event_name: name, session_id, cwd: ctx.cwd });
      try {
        spawnSync(PROGRAM, ["hook", "--agent", "pi"], { input, timeout: 3000 });
      } catch {}
    });
  on("session_start", "SessionStart");
  on("agent_start", "UserPromptSubmit");
  on("agent_end", "Stop");
  on("session_shutdown", "SessionEnd");
}
