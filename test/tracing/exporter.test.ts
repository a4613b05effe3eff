import { expect, test } from "bun:test";
import { createLog } from "../../src/process/log.ts";
import { Collector } from "../../src/tracing/collector.ts";
import { BATCH, Exporter, MOST_WAITING } from "../../src/tracing/exporter.ts";
import type { SpanRecord } from "../../src/tracing/span.ts";
import { TraceCollector } from "../support/peers/trace-collector.ts";
import { FakeClock } from "../support/server/fake-clock.ts";
import { eventually } from "../support/server/scenario.ts";

const SPAN: SpanRecord = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentId: null,
  name: "work",
  kind: "internal",
  startedAt: 1000,
  endedAt: 1001.25,
  attributes: {},
  events: [],
  hasFailed: false,
};

/** An exporter to a collector; `pauses` are the pauses that it made, which take no time. */
function opened(url: string, { delayMs = 60_000, flushMs = 60_000 } = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const pauses: number[] = [];
  const exporter = new Exporter({
    collector: new Collector({ url, headers: { reveal: () => ({ "x-key": "s3cr3t" }) }, clock }),
    teller: { resource: { "service.name": "test" }, version: "1.2.3" },
    log: createLog({ format: "json", clock, write: (line) => void lines.push(line) }),
    sleep: async (ms) => void pauses.push(ms),
    delayMs,
    flushMs,
  });
  const add = (count: number) => {
    for (let n = 0; n < count; n++) exporter.add(SPAN);
  };
  const ended = (count: number) =>
    eventually(() => exporter.figures.sent + exporter.figures.failed === count);
  return { clock, exporter, lines, pauses, add, ended };
}

test("a batch goes as soon as it is full, and the rest after a while", async () => {
  await using collector = new TraceCollector();
  const { exporter, add, ended } = opened(`${collector.url}/v1/traces`, { delayMs: 20 });
  add(BATCH + 1);
  await ended(BATCH + 1);
  expect(collector.requests.map(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans.length)).toEqual([
    BATCH,
    1,
  ]);
  const [first] = collector.requests;
  expect([first?.path, first?.headers.get("content-type"), first?.headers.get("x-key")]).toEqual([
    "/v1/traces",
    "application/json",
    "s3cr3t",
  ]);
  expect(first?.body.resourceSpans[0]?.scopeSpans[0]?.scope).toEqual({ name: "coffer", version: "1.2.3" });
  expect(collector.resource).toEqual({ "service.name": "test", "service.version": "1.2.3" });
  expect(collector.spans[0]).toMatchObject({
    startTimeUnixNano: "1000000000",
    endTimeUnixNano: "1001250000",
  });
  expect(exporter.figures).toEqual({ sent: BATCH + 1, failed: 0, dropped: 0 });
});

test("a collector that is overloaded is asked again, when it says so", async () => {
  await using collector = new TraceCollector();
  const { clock, exporter, lines, pauses, add, ended } = opened(collector.url);
  const at = new Date(clock.now() + 30_000).toUTCString();
  const answers = [
    new Response(null, { status: 429, headers: { "retry-after": "7" } }),
    new Response(null, { status: 503, headers: { "retry-after": at } }),
    new Response(null, { status: 502 }),
    new Response(null, { status: 504, headers: { "retry-after": "nonsense" } }),
  ];
  collector.answer = () => answers.shift() ?? Response.json({});
  add(BATCH);
  await ended(BATCH);
  expect(pauses).toEqual([7000, 30_000, 4000, 8000]);
  expect([exporter.figures.sent, lines]).toEqual([BATCH, []]);
});

test("what is never taken is given up, and told once", async () => {
  await using collector = new TraceCollector();
  const { exporter, lines, add, ended } = opened(collector.url);
  collector.answer = () => new Response("s3cr3t", { status: 503 });
  add(BATCH);
  await ended(BATCH);
  expect(collector.requests.length).toBe(5);
  // It will say the same again.
  collector.answer = () => new Response(null, { status: 401 });
  add(BATCH);
  await ended(2 * BATCH);
  expect(collector.requests.length).toBe(6);
  // Nobody else may get the headers.
  collector.answer = () => new Response(null, { status: 307, headers: { location: collector.url } });
  add(BATCH);
  await ended(3 * BATCH);
  expect(collector.requests.length).toBe(7);
  // It is not waited for that long.
  collector.answer = () => new Response(null, { status: 503, headers: { "retry-after": "3600" } });
  add(BATCH);
  await ended(4 * BATCH);
  expect(collector.requests.length).toBe(8);
  collector.answer = () => Response.json({});
  add(BATCH);
  await ended(5 * BATCH);
  expect(exporter.figures).toEqual({ sent: BATCH, failed: 4 * BATCH, dropped: 0 });
  const told = lines.map((line): Record<string, unknown> => JSON.parse(line));
  expect(told.map(({ level, reason }) => [level, reason])).toEqual([
    ["warn", "it answered 503"],
    ["info", undefined],
  ]);
  expect(lines.join("")).not.toContain("s3cr3t");
});

test("a collector may take a part", async () => {
  await using collector = new TraceCollector();
  const { exporter, add, ended } = opened(collector.url);
  collector.answer = () =>
    Response.json({ partialSuccess: { rejectedSpans: "6", errorMessage: "too many" } });
  add(BATCH);
  await ended(BATCH);
  expect(exporter.figures).toEqual({ sent: BATCH - 6, failed: 6, dropped: 0 });
});

test("of an answer without an end only the beginning is read", async () => {
  await using collector = new TraceCollector();
  const { exporter, add, ended } = opened(collector.url);
  const piece = new Uint8Array(64 * 1024).fill(97);
  collector.answer = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }));
  add(BATCH);
  await ended(BATCH);
  expect(exporter.figures.sent).toBe(BATCH);
});

test("so many spans wait, and no more; the end sends them", async () => {
  await using collector = new TraceCollector();
  const { exporter, add } = opened(collector.url);
  const { promise, resolve } = Promise.withResolvers<void>();
  collector.answer = () => promise.then(() => Response.json({}));
  add(BATCH + MOST_WAITING + 5);
  expect(exporter.figures.dropped).toBe(5);
  await collector.came(1);
  const stopped = exporter.stop();
  resolve();
  await stopped;
  expect(exporter.figures).toEqual({ sent: BATCH + MOST_WAITING, failed: 0, dropped: 5 });
});

test("the end waits only so long for a collector that does not answer", async () => {
  await using collector = new TraceCollector();
  const { exporter, lines, add } = opened(collector.url, { flushMs: 50 });
  collector.answer = () => new Promise(() => {});
  add(BATCH + 1);
  await exporter.stop();
  expect(exporter.figures).toEqual({ sent: 0, failed: BATCH + 1, dropped: 0 });
  expect(lines.length).toBe(1);
});

test("the log does not quote the address of a collector that is not there", async () => {
  const { exporter, lines, add } = opened("http://127.0.0.1:1/s3cr3t", { flushMs: 1000 });
  add(1);
  await exporter.stop();
  expect(exporter.figures.failed).toBe(1);
  expect(lines.join("")).toContain("there was no answer");
  expect(lines.join("")).not.toContain("s3cr3t");
});
