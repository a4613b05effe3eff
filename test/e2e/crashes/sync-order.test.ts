import { afterAll, describe, expect, test } from "bun:test";
import { CHANGES, type Change, prepare, QUIET } from "../../support/faults/changes.ts";
import { provision, type Server, serve } from "../../support/server/executable.ts";
import {
  attachStrace,
  contentOf,
  type Fault,
  Injection,
  NO_STRACE,
  put,
} from "../../support/faults/faults.ts";
import { eventually } from "../../support/server/scenario.ts";
import { settledIndex } from "../../support/server/settled-index.ts";
import { withReason } from "../../support/server/skip.ts";
import { someOf } from "../../support/server/thorough.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { failureOf } from "../../support/samples/failure.ts";

const prepared = await prepare();
afterAll(() => prepared[Symbol.asyncDispose]());

type What = "log written" | "sync begun" | "sync ended" | "listening" | "answered";

/** What matters of a system call: who made it, and what it began or ended. */
interface Call {
  readonly thread: number;
  readonly what: What;
}

const CALLS = "pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg,listen";

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
    if (call.startsWith("listen(")) return [{ thread, what: "listening" }];
    return /HTTP\/1\.1 2\d\d/.test(call) ? [{ thread, what: "answered" }] : [];
  });
}

/** Traces a running server until it ends. Gives the calls so far, once so many answers are among them. */
async function traceOf(server: Server, path: string): Promise<(answers: number) => Promise<Call[]>> {
  await attachStrace(server, ["-y", "-s", "20", "-e", `trace=${CALLS}`, "-o", path]);
  // Another thread writes to the log when it merges the search index.
  const isOfWrites = ({ what, thread }: Call) => what !== "log written" || thread === server.pid;
  return async (answers) => {
    let calls: Call[] = [];
    // An answer may be here before it is written down there that it was sent.
    await eventually(async () => {
      calls = callsOf(await Bun.file(path).text()).filter(isOfWrites);
      return calls.filter(({ what }) => what === "answered").length >= answers;
    });
    return calls;
  };
}

/** Between two answers, or before the first: the log was written, and then synced to the end. */
function requireSynced(calls: readonly Call[], name = ""): void {
  const written = calls.findLastIndex(({ what }) => what === "log written");
  const begun = calls.findIndex(({ what }, at) => at > written && what === "sync begun");
  const ended = calls.findIndex(
    ({ what, thread }, at) => at > begun && what === "sync ended" && thread === calls[begun]?.thread,
  );
  expect([name, written >= 0, begun > written, ended > begun]).toEqual([name, true, true, true]);
}

/** The calls before each answer and after the one before it. */
function perAnswer(calls: readonly Call[]): Call[][] {
  const answers = calls.flatMap(({ what }, at) => (what === "answered" ? [at] : []));
  return answers.map((at, n) => calls.slice((answers[n - 1] ?? -1) + 1, at));
}

/** Lets each sync of the log wait. */
const SLOW: Fault = { calls: "fsync,fdatasync", error: "SLOW", when: "1+", file: "coffer.db-wal" };

describe.skipIf(NO_STRACE !== "")(withReason("the sync of a commit", NO_STRACE), () => {
  test("begins after the commit and ends before the answer, whatever is written, in no request's way", async () => {
    await using server = await serve({ dataDir: prepared.dataDir, env: QUIET });
    const client = server.client(prepared.key);
    const calls = await traceOf(server, `${prepared.dataDir}.trace`);
    const done: Change[] = [];
    for (const change of someOf(CHANGES, 6)) {
      // What the index writes must not be among the writes of the change: an answer comes in between.
      await settledIndex(prepared.dataDir);
      await client.get(`/v0/drives/${prepared.drive}`);
      const { status, text } = await change.run(server, prepared);
      expect([change.name, status, text]).toEqual([change.name, status < 300 ? status : 200, text]);
      done.push(change);
    }
    const traced = await calls(2 * done.length);
    const parts = perAnswer(traced);
    expect(parts).toHaveLength(2 * done.length);
    for (const [at, { name }] of done.entries()) requireSynced(parts[2 * at + 1] ?? [], name);
    const onMainThread = traced.filter(({ thread, what }) => thread === server.pid && what === "sync begun");
    expect(onMainThread).toEqual([]);
    await server.stop();
  });

  test("is shared by writes that come at the same time, and ends before the first of their answers", async () => {
    await using place = await temporaryDirectory();
    await using server = await serve({ dataDir: place.dataDir, env: QUIET });
    const { client, drive } = await provision(server);
    const calls = await traceOf(server, `${place.path}/trace`);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(client, drive, `${n}.bin`, contentOf(`${n}`, 1000 * n))),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    const traced = await calls(20);
    const parts = perAnswer(traced);
    expect(parts).toHaveLength(20);
    requireSynced(parts[0] ?? []);
    const syncs = traced.filter(({ what }) => what === "sync begun").length;
    expect(syncs).toBeWithin(1, 20);
  });

  test("is not passed by a retry: no response is replayed before it has ended", async () => {
    await using place = await temporaryDirectory();
    await using server = await serve({ dataDir: place.dataDir, env: QUIET });
    const { client, drive } = await provision(server);
    const injection = await Injection.into(server, SLOW);
    const ask = () =>
      client.send("POST", "/v0/folders", {
        body: { drive_id: drive, path: "f/" },
        headers: { "idempotency-key": "one folder" },
      });
    const first = ask();
    // Readers see a commit before it is synced.
    await eventually(async () => {
      const { data } = await client.get<{ data: object[] }>(`/v0/folders?drive_id=${drive}`);
      return data.length > 0;
    });
    const retry = await ask();
    expect([retry.status, JSON.parse(retry.text).error.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    await injection.stop();
    expect((await first).status).toBe(201);
    const replayed = await ask();
    expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    await server.kill();
  });

  test("that a kill prevented is made up for by the next start, before it listens", async () => {
    await using place = await temporaryDirectory();
    await using first = await serve({ dataDir: place.dataDir, env: QUIET });
    const { client, drive } = await provision(first);
    const injection = await Injection.into(first, { ...SLOW, error: "KILL", when: "1" });
    const refused = await failureOf(put(client, drive, "a.bin", contentOf("a", 1000)));
    expect(refused).toBeInstanceOf(Error);
    await first.exited;
    expect(await injection.hits()).toHaveLength(1);
    const trace = `${place.path}/trace`;
    const args = `-D -f -y -s 20 -e trace=${CALLS} -o ${trace}`.split(" ");
    await using server = await serve({ dataDir: place.dataDir, env: QUIET, wrapper: ["strace", ...args] });
    const calls = callsOf(await Bun.file(trace).text()).map(({ what }) => what);
    // Its readers, and those who ask for a response again, see what the last process did not sync.
    expect(calls.indexOf("sync ended")).toBeWithin(0, calls.indexOf("listening"));
    await server.kill();
  });
});

describe.skipIf(NO_STRACE !== "")(withReason("the disk", NO_STRACE), () => {
  test("is waited for five times at a start: for the log and the directories, not for the lock", async () => {
    await using place = await temporaryDirectory();
    await using first = await serve({ dataDir: place.dataDir, env: QUIET });
    await provision(first);
    await first.stop();
    const trace = `${place.path}/trace`;
    const args = `-D -f -y -e trace=fsync,fdatasync,listen -o ${trace}`.split(" ");
    await using server = await serve({ dataDir: place.dataDir, env: QUIET, wrapper: ["strace", ...args] });
    const [start = ""] = (await Bun.file(trace).text()).split("listen(");
    const synced = [...start.matchAll(/(?:fsync|fdatasync)\(\d+<([^>]*)>/g)].map(([, path = ""]) =>
      path.slice(place.dataDir.length),
    );
    expect(synced.toSorted()).toEqual(["", "", "/blobs", "/coffer.db-wal", "/coffer.db-wal"]);
    await server.stop();
  });
});
