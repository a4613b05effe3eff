import { expect, test } from "bun:test";
import { newSpanId, newTraceId, parseTraceparent, traceparentOf } from "../../src/tracing/trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

test("a header says which trace, which span, and whether that is recorded", () => {
  for (const [flags, isSampled] of [
    ["00", false],
    ["01", true],
    ["02", false],
    ["ff", true],
  ] as const) {
    const found = parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`);
    expect(found).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  }
});

test("of a later version the first fields count", () => {
  const found = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect(parseTraceparent(`01-${TRACE}-${SPAN}-01`)).toEqual(found);
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`)).toEqual(found);
});

test("what is malformed is no header", () => {
  for (const header of [
    null,
    "",
    TRACE,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-001`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-0g`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00_${TRACE}_${SPAN}_01`,
    // Two headers come as one.
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-${"x".repeat(500)}`,
  ]) {
    expect([header, parseTraceparent(header)]).toEqual([header, null]);
  }
});

test("what is written is understood, and ids differ", () => {
  const own = { traceId: newTraceId(), spanId: newSpanId(), isSampled: true };
  expect(parseTraceparent(traceparentOf(own))).toEqual(own);
  expect(parseTraceparent(traceparentOf({ ...own, isSampled: false }))).toEqual({ ...own, isSampled: false });
  expect(new Set(Array.from({ length: 100 }, newTraceId)).size).toBe(100);
});
