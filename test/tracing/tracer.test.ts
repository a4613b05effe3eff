import { expect, test } from "bun:test";
import { CofferError } from "../../src/domain/errors.ts";
import { traced } from "../../src/tracing/traced.ts";
import { MOST_SPANS } from "../../src/tracing/tracer.ts";
import { valuesOf } from "../support/peers/trace-collector.ts";
import { openRecordedTracer } from "../support/server/recorded-tracer.ts";

test("work inside work is a child, with its times, values and events", async () => {
  const { tracer, clock, spans } = openRecordedTracer();
  await tracer.apart("whole", async (span) => {
    span?.set({ size: 12, share: 0.5, word: "a" }, "client");
    clock.advance(10);
    await traced(tracer, "part", async (part) => {
      clock.advance(5);
      // Set back: what takes time does not end before it has begun.
      clock.set(-60_000);
      part?.note("halfway");
      clock.advance(2.5);
      await Bun.sleep(0);
      await traced(tracer, "inner", async () => {});
    });
  });
  await tracer.stop();
  const [inner, part, whole] = spans;
  expect(spans.map(({ name }) => name)).toEqual(["inner", "part", "whole"]);
  expect([inner?.parentSpanId, part?.parentSpanId, whole?.parentSpanId]).toEqual([
    part?.spanId,
    whole?.spanId,
    undefined,
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const start = Date.parse("2030-01-01T00:00:00.000Z");
  expect([whole?.startTimeUnixNano, whole?.endTimeUnixNano]).toEqual([
    `${start}000000`,
    `${start + 17}500000`,
  ]);
  expect(part?.events).toEqual([{ name: "halfway", timeUnixNano: `${start + 15}000000` }]);
  expect(valuesOf(whole ?? { attributes: [] })).toEqual({ size: 12, share: 0.5, word: "a" });
  expect([whole?.kind, part?.kind]).toEqual([3, 1]);
});

test("works that run at once do not mix", async () => {
  const { tracer, spans } = openRecordedTracer();
  await Promise.all(
    ["a", "b", "c"].map((name) =>
      tracer.apart(name, async () => {
        await Bun.sleep(0);
        await traced(tracer, `in ${name}`, () => Bun.sleep(0));
      }),
    ),
  );
  await tracer.stop();
  for (const name of ["a", "b", "c"]) {
    const outer = spans.find((span) => span.name === name);
    expect(spans.find((span) => span.name === `in ${name}`)?.parentSpanId).toBe(outer?.spanId ?? "");
  }
});

test("what rejects has failed, unless the caller was wrong", async () => {
  const { tracer, spans } = openRecordedTracer();
  const errors: readonly (readonly [error: Error, type: string | undefined])[] = [
    [new RangeError("secret"), "RangeError"],
    [new CofferError("UNAVAILABLE", "secret"), "UNAVAILABLE"],
    [new CofferError("NOT_FOUND", "secret"), undefined],
  ];
  for (const [error] of errors) {
    const failing = tracer.apart("failing", () => Promise.reject(error));
    expect(await failing.catch((thrown: unknown) => thrown)).toBe(error);
  }
  await tracer.stop();
  const outcomes = spans.map((span) => [span.status?.code, valuesOf(span)["error.type"]]);
  expect(outcomes).toEqual(errors.map(([, type]) => [type === undefined ? undefined : 2, type]));
  expect(JSON.stringify(spans)).not.toContain("secret");
});

test("there is no span outside a trace, nor of a trace that is not recorded, nor after the end of one", async () => {
  const { tracer, spans } = openRecordedTracer({ perSecond: 1 });
  expect(await traced(null, "x", (span) => Promise.resolve(span))).toBeNull();
  expect(await traced(tracer, "x", (span) => Promise.resolve(span))).toBeNull();
  const { promise, resolve } = Promise.withResolvers<void>();
  let after: Promise<unknown> | undefined;
  await tracer.apart("first", async () => {
    after = promise.then(() => traced(tracer, "late", (span) => Promise.resolve(span)));
    // A trace of its own is no part of this, also if it is not recorded.
    await tracer.apart("second", () => traced(tracer, "part", async () => {}));
  });
  resolve();
  expect(await after).toBeNull();
  await tracer.stop();
  expect(spans.map(({ name }) => name)).toEqual(["first"]);
});

test("a trace has so many spans at most; the others are counted, and their work is done", async () => {
  const { tracer, spans } = openRecordedTracer();
  let done = 0;
  await tracer.apart("whole", async () => {
    for (let n = 0; n < MOST_SPANS + 10; n++) {
      await traced(tracer, "part", async () => {
        done += 1;
      });
    }
  });
  await tracer.stop();
  expect([done, spans.length]).toEqual([MOST_SPANS + 10, MOST_SPANS]);
  expect(tracer.figures).toEqual({ sent: MOST_SPANS, failed: 0, dropped: 11 });
});

test("a request goes on with the trace that it brings, and lines of the log say so until its end", async () => {
  const { tracer, lines, log, spans } = openRecordedTracer();
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const placed = tracer.logging(log);
  const span = tracer.begin(new Headers({ traceparent: `00-${traceId}-b7ad6b7169203331-01` }));
  tracer.run(span, () => {
    placed.info("inside", { a: 1 });
    span?.end();
    placed.warn("after");
  });
  placed.error("outside");
  await tracer.stop();
  expect(spans.map((each) => [each.traceId, each.parentSpanId])).toEqual([[traceId, "b7ad6b7169203331"]]);
  const told = lines.map((line): Record<string, unknown> => JSON.parse(line));
  expect(told.map(({ message, a, trace_id, span_id }) => [message, a, trace_id, span_id])).toEqual([
    ["inside", 1, traceId, spans[0]?.spanId],
    ["after", undefined, undefined, undefined],
    ["outside", undefined, undefined, undefined],
  ]);
  const other = tracer.begin(new Headers({ traceparent: "nonsense" }));
  expect(other?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(tracer.begin(new Headers({ traceparent: `00-${traceId}-b7ad6b7169203331-00` }))).toBeNull();
});
