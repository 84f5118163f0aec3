// Runs the Node board writer as its own callers do, for the tests and benches.
//
//   node peer.mjs PACKAGE update '{"repo": DIR, "status"?: WORD, "now"?: TIME}'...
//   node peer.mjs PACKAGE session '{"repo": DIR, "now": TIME, "leases": [LEASE...]}'
//   node peer.mjs PACKAGE sweep '{"repo": DIR, "now": TIME}'
//   node peer.mjs PACKAGE serve
//   node peer.mjs PACKAGE hold '{"vault": DIR, "timeout"?: MS}'
//
// Each prints one line of JSON a step on stdout. `serve` takes its jobs as lines
// on stdin: `{"task": "update" | "sweep", "env": {NAME: VALUE}, "repo": DIR, …}`.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , root, task, ...jobs] = process.argv;
const load = (file) => import(pathToFileURL(path.join(root, 'scripts/lib/vault-status', file)));
const say = (value) => console.log(JSON.stringify(value));
const time = (text) => (text === undefined ? new Date() : new Date(text));

const tasks = {
  async update({ repo, status, now }) {
    const { mirrorBoard } = await load('board-writer.mjs');
    say(await mirrorBoard({ repoRoot: repo, explicitStatus: status, now: time(now) }));
  },

  /** One process, one update a lease: the tightest loop that a session can make. */
  async session({ repo, now, leases }) {
    const { mirrorBoard } = await load('board-writer.mjs');
    for (const lease of leases) {
      fs.writeFileSync(path.join(repo, '.orchestrator/session.lock'), JSON.stringify(lease));
      say(await mirrorBoard({ repoRoot: repo, now: time(now) }));
    }
  },

  async sweep({ repo, now }) {
    const { sweepBoard } = await load('board-writer.mjs');
    say(await sweepBoard({ repoRoot: repo, now: time(now) }));
  },

  /** Does what each line asks for, in that line's environment, until there are no more. */
  async serve() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
      const { task, env, ...job } = JSON.parse(line);
      Object.assign(process.env, env);
      process.chdir(job.repo);
      await tasks[task](job);
    }
  },

  /** Holds the lock until a line comes; says `waiting` if it is not had at once. */
  async hold({ vault, timeout }) {
    const { withBoardLock } = await load('board-lock.mjs');
    const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    let outcome;
    // Two of its polls: whoever has not got in by then has been turned away.
    const patience = setTimeout(() => outcome ?? say('waiting'), 120);
    await withBoardLock(
      vault,
      async () => {
        say(outcome);
        await lines.next();
      },
      { timeoutMs: timeout, onLockOutcome: (told) => (outcome = told), warn: () => {} },
    );
    clearTimeout(patience);
    process.exit();
  },
};

if (task === 'serve') await tasks.serve();
for (const job of jobs) await tasks[task](JSON.parse(job));
