import { afterAll, describe, expect, test } from "bun:test";
import { ApiError, ask, call, isPassing } from "../../web/lib/api/api.ts";
import { Connection, connection } from "../../web/lib/api/connection.ts";
import { EndedSession } from "../../web/lib/api/ended-session.ts";

/** Requests that wait for an answer, and what has become of each. */
function waitingOn(line: Connection, count: number) {
  const going: number[] = [];
  const abort = new AbortController();
  const all = Array.from({ length: count }, async (_, at) => {
    await line.returned(1, abort.signal);
    going.push(at);
  });
  return { going, abort, all };
}

describe("without an answer", () => {
  test("the one that has waited longest tries, and an answer lets all go on", async () => {
    const line = new Connection([1]);
    const { going, all } = waitingOn(line, 3);
    expect(line.trouble.value?.why).toBe("away");
    await all[0];
    expect(going).toEqual([0]);
    line.answered();
    await Promise.all(all);
    expect([going, line.trouble.value]).toEqual([[0, 1, 2], null]);
  });

  test("the next one tries where the first is given up", async () => {
    const line = new Connection([1]);
    const { going, all } = waitingOn(line, 2);
    await Promise.all(all);
    expect(going).toEqual([0, 1]);
  });

  test("pauses grow until an answer, and end at once where somebody asks for that", async () => {
    const line = new Connection([1, 3_600_000]);
    await line.returned(1);
    const { going, all } = waitingOn(line, 2);
    expect(line.trouble.value?.until).toBeGreaterThan(performance.now() + 3_000_000);
    line.tryNow();
    await all[0];
    expect(going).toEqual([0]);
    line.answered();
    await all[1];
    await line.returned(1);
    line.answered();
  });

  test("what is left waits no more, and says nothing", async () => {
    const line = new Connection([1]);
    const { abort, all } = waitingOn(line, 2);
    abort.abort(new Error("left"));
    expect(await Promise.allSettled(all)).toMatchObject(
      Array.from({ length: 2 }, () => ({ status: "rejected", reason: { message: "left" } })),
    );
    await line.returned(1);
    line.answered();
    expect(line.trouble.value).toBeNull();
    expect(line.returned(1, abort.signal)).rejects.toThrow("left");
  });

  test("a request that fails though others are answered comes again later each time", async () => {
    const line = new Connection([3_600_000]);
    let isSent = false;
    const again = line.returned(2).then(() => (isSent = true));
    line.answered();
    await Bun.sleep(0);
    expect(isSent).toBe(false);
    await again;
  });
});

test("where the server asks to wait, the page says until when the last goes on", async () => {
  const line = new Connection([1]);
  const abort = new AbortController();
  const long = line.rested(60, abort.signal);
  const short = line.rested(0);
  const { why, until = 0 } = line.trouble.value ?? {};
  expect([why, Math.round((until - performance.now()) / 1000)]).toEqual(["busy", 60]);
  await short;
  expect(line.trouble.value?.until).toBe(until);
  abort.abort(new Error("left"));
  expect(long).rejects.toThrow("left");
  await long.catch(() => {});
  expect(line.trouble.value).toBeNull();
});

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code: "REFUSED", message: "No." } }, { status, headers });
}

describe("a request", () => {
  const left: Response[] = [];
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked += 1;
      return left.shift() ?? Response.json({ is: "there" });
    },
  });
  afterAll(() => server.stop(true));
  const answered = (...first: Response[]) => {
    asked = 0;
    left.splice(0, left.length, ...first);
  };
  const FULL = { "x-ratelimit-remaining": "0", "retry-after": "0" };

  test.each<[refused: string, first: () => Response]>([
    ["for too many", () => refusal(429, FULL)],
    ["for too many of a kind", () => refusal(429, { "x-ratelimit-remaining": "5", "retry-after": "0" })],
    ["by a busy server", () => refusal(503, { "retry-after": "0" })],
    ["by a proxy", () => new Response("<h1>Bad gateway</h1>", { status: 502 })],
  ])("that reads is sent again after it was refused %s", async (_, first) => {
    answered(first());
    expect(await call<unknown>("GET", server.url.href)).toEqual({ is: "there" });
    expect(connection.trouble.value).toBeNull();
    expect(asked).toBe(2);
  });

  test.each<[what: string, method: string, first: () => Response, isOver: boolean]>([
    ["writes, after too many", "POST", () => refusal(429, FULL), true],
    ["writes, after a busy server", "DELETE", () => refusal(503, { "retry-after": "0" }), true],
    ["writes, after too many of a kind", "POST", () => refusal(429, { "retry-after": "0" }), false],
    ["reads, where the pause is long", "GET", () => refusal(429, { ...FULL, "retry-after": "900" }), true],
    ["reads, after a fault", "GET", () => refusal(500), false],
    ["reads what is not there", "GET", () => refusal(404), false],
  ])("that %s is not sent again by itself, and known to pass or not", async (_, method, first, isOver) => {
    answered(first());
    const error: unknown = await call(method, server.url.href).catch((caught: unknown) => caught);
    if (!(error instanceof ApiError)) throw new Error("it was not refused");
    expect([isPassing(error), asked]).toEqual([isOver, 1]);
  });

  test("that is given up while it waits is not sent", async () => {
    answered(refusal(429, { ...FULL, "retry-after": "60" }));
    const abort = new AbortController();
    const sent = ask(server.url.href, { signal: abort.signal });
    while (connection.trouble.value === null) await Bun.sleep(1);
    abort.abort(new Error("left"));
    expect(sent).rejects.toThrow("left");
    await sent.catch(() => {});
    expect(connection.trouble.value).toBeNull();
    expect(asked).toBe(1);
  });
});

describe("after a session has ended", () => {
  test("what waits goes on once its user is back, and is given up for somebody else", async () => {
    const session = new EndedSession();
    expect(await session.over()).toBe(false);
    session.begin();
    const back = [session.over(), session.over()];
    session.resume();
    expect(await Promise.all(back)).toEqual([true, true]);
    const gone = session.over();
    session.leave();
    expect(await gone).toBe(false);
    expect(await session.over()).toBe(false);
  });

  test("what is given up meanwhile does not go on", async () => {
    const session = new EndedSession();
    session.begin();
    const abort = new AbortController();
    const waiting = session.over(abort.signal);
    abort.abort(new Error("left"));
    session.resume();
    expect(waiting).rejects.toThrow("left");
  });
});
