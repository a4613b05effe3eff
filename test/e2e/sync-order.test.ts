import { describe, expect, test } from "bun:test";
import { Output, provision, serve } from "../support/executable.ts";
import { NO_STRACE, put } from "../support/faults.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** What matters of a system call: who made it, and what it began or ended. */
interface Call {
  readonly thread: number;
  readonly what: "log written" | "sync begun" | "sync ended" | "answered";
}

/** The calls of a trace, in order. A call that another interrupts has two lines. */
function callsOf(trace: string): Call[] {
  const syncing = new Set<number>();
  return trace.split("\n").flatMap((line): Call[] => {
    const [, pid = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const thread = Number(pid);
    if (/^pwrite64\(\d+<[^>]*coffer\.db-wal>/.test(call)) return [{ thread, what: "log written" }];
    if (/^(fdatasync|fsync)\(\d+<[^>]*coffer\.db-wal>/.test(call)) {
      if (!call.includes("unfinished"))
        return [
          { thread, what: "sync begun" },
          { thread, what: "sync ended" },
        ];
      syncing.add(thread);
      return [{ thread, what: "sync begun" }];
    }
    if (/^<\.\.\. (fdatasync|fsync) resumed>/.test(call) && syncing.delete(thread)) {
      return [{ thread, what: "sync ended" }];
    }
    return call.includes("HTTP/1.1 201") ? [{ thread, what: "answered" }] : [];
  });
}

describe.skipIf(NO_STRACE !== "")(`the sync of a commit${NO_STRACE && ` (skipped: ${NO_STRACE})`}`, () => {
  test("begins after the commit, ends before the answer, and holds up no other request", async () => {
    await using place = await temporaryDirectory();
    await using server = await serve({ dataDir: `${place.path}/data`, env: { COFFER_SWEEP_INTERVAL: "1h" } });
    const { key, drive } = await provision(server);
    const client = server.client(key);
    const trace = `${place.path}/trace`;
    const args = "-f -y -s 20 -e trace=pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg".split(" ");
    const strace = Bun.spawn(["strace", ...args, "-p", String(server.pid), "-o", trace], {
      stdout: "ignore",
      stderr: "pipe",
    });
    await new Output(strace.stderr).until(/attached/);
    const uploads = 10;
    for (let n = 0; n < uploads; n += 1) {
      expect(await put(client, drive, `${n}.txt`, new TextEncoder().encode(`content ${n}`))).toBe(201);
    }
    const calls = callsOf(await Bun.file(trace).text());
    let [answers, lastWrite] = [0, -1];
    for (const [at, { thread, what }] of calls.entries()) {
      // Another thread writes to the log when it merges the search index.
      if (what === "log written" && thread === server.pid) lastWrite = at;
      if (what !== "answered") continue;
      const begun = calls.findIndex((call, n) => n > lastWrite && call.what === "sync begun");
      const ended = calls.findIndex(
        (call, n) => n > begun && call.what === "sync ended" && call.thread === calls[begun]?.thread,
      );
      expect([lastWrite >= 0, begun > lastWrite, ended > begun, ended < at]).toEqual([
        true,
        true,
        true,
        true,
      ]);
      [answers, lastWrite] = [answers + 1, -1];
    }
    expect(answers).toBe(uploads);
    expect(calls.filter(({ thread, what }) => thread === server.pid && what === "sync begun")).toEqual([]);
  });
});
