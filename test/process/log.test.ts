import { describe, expect, test } from "bun:test";
import { Secret } from "../../src/config/secret.ts";
import { createLog, type Log, type LogFields } from "../../src/process/log.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function capture(format: "json" | "pretty", use: (log: Log) => void): string[] {
  const lines: string[] = [];
  use(createLog({ format, clock: { now: () => NOW }, write: (text) => lines.push(text) }));
  return lines;
}

function line(format: "json" | "pretty", fields: LogFields, message = "m"): string {
  const lines = capture(format, (log) => log.info(message, fields));
  expect(lines).toHaveLength(1);
  return lines.join();
}

test("json: one object a line, in this order", () => {
  expect(
    capture("json", (log) => {
      log.info("request", { status: 200, ms: 1.5, ok: true, key_id: null });
      log.warn("careful");
      log.error("failed", { why: undefined });
    }),
  ).toEqual([
    '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"request","status":200,"ms":1.5,"ok":true,"key_id":null}',
    '{"time":"2026-01-02T03:04:05.006Z","level":"warn","message":"careful"}',
    '{"time":"2026-01-02T03:04:05.006Z","level":"error","message":"failed"}',
  ]);
});

test("pretty: time, level, message and pairs", () => {
  expect(
    capture("pretty", (log) => {
      log.info("request", { route: "/v0/files/:id", status: 200, name: "a b", tags: ["x"], key_id: null });
      log.error("failed", { "odd name": "" });
    }),
  ).toEqual([
    '2026-01-02T03:04:05.006Z info  request route=/v0/files/:id status=200 name="a b" tags=["x"] key_id=null',
    '2026-01-02T03:04:05.006Z error failed "odd name"=""',
  ]);
});

describe("hostile text stays in its place", () => {
  const hostile = 'a\nb\r\n\t\u0000\u001b[2J\u007f\u009b\u2028\u202e\u2066\ud800" level=error';
  const raw = /[\p{Cc}\p{Cs}\u2028\u202e\u2066]/u;

  for (const format of ["json", "pretty"] as const) {
    test(`${format}: in a message, a value, a name, an object and an object's names`, () => {
      for (const text of [
        line(format, {}, hostile),
        line(format, { path: hostile }),
        line(format, { [hostile]: 1 }),
        line(format, { metadata: { [hostile]: [hostile] } }),
      ]) {
        expect(text).not.toMatch(raw);
        expect(text).toContain("a\\nb");
      }
    });
  }

  test("json: and can be read back", () => {
    expect(JSON.parse(line("json", { path: hostile }))).toMatchObject({ path: hostile });
  });

  test("pretty: a message with line breaks in an error begins no line of its own", () => {
    const text = line("pretty", {
      error: new Error("x\n2026-01-02T03:04:05.006Z info  forged", { cause: new Error(hostile) }),
    });
    const [first, ...below] = text.split("\n");
    expect(first).toEndWith('error="Error: x\\n2026-01-02T03:04:05.006Z info  forged"');
    expect(below.length).toBeGreaterThan(2);
    for (const row of below) {
      expect(row).toStartWith("    ");
      expect(row).not.toMatch(raw);
    }
    expect(below.filter((row) => row.includes("forged"))).toEqual([]);
  });
});

describe("errors", () => {
  test("json: name, message, code, stack and the chain of causes", () => {
    const inner = Object.assign(new RangeError("inner"), { code: "EIO" });
    const { error } = JSON.parse(line("json", { error: new TypeError("outer", { cause: inner }) }));
    expect(error).toMatchObject({
      name: "TypeError",
      message: "outer",
      cause: { name: "RangeError", code: "EIO" },
    });
    expect(error.stack).toContain("log.test.ts");
    expect(error.cause.stack).toContain("log.test.ts");
  });

  test("json: inside objects, and those of an AggregateError", () => {
    const parsed = JSON.parse(
      line("json", { all: { error: new AggregateError([new Error("a"), "b"], "many") } }),
    );
    expect(parsed.all.error).toMatchObject({ message: "many", errors: [{ message: "a" }, "b"] });
  });

  test("an error that is its own cause ends", () => {
    const error = new Error("self");
    error.cause = error;
    for (const format of ["json", "pretty"] as const)
      expect(line(format, { error }).length).toBeLessThan(20_000);
  });
});

describe("what JSON cannot hold does not throw", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const throwing = {
    get broken(): string {
      throw new Error("getter");
    },
  };
  const cases: [name: string, value: unknown, shown: string | undefined][] = [
    ["a bigint", 1n, '"1"'],
    ["a bigint inside", { n: 1n }, '{"n":"1"}'],
    ["NaN", Number.NaN, '"NaN"'],
    ["Infinity", -Infinity, '"-Infinity"'],
    ["undefined", undefined, undefined],
    ["a function", () => 1, undefined],
    ["a symbol", Symbol("s"), undefined],
    ["an invalid date", new Date(Number.NaN), "null"],
    ["a getter that throws", throwing, '"[not printable: getter]"'],
    ["a secret", new Secret("hunter2"), '"[secret]"'],
    ["a secret inside", { deep: [new Secret("hunter2")] }, '{"deep":["[secret]"]}'],
  ];
  for (const [name, value, shown] of cases) {
    test(name, () => {
      const [json, pretty] = [line("json", { value }), line("pretty", { value })];
      expect(json).toEndWith(shown === undefined ? '"m"}' : `"value":${shown}}`);
      expect(pretty).toEndWith(shown === undefined ? " m" : ` value=${shown}`);
    });
  }

  test("a cycle", () => expect(line("json", { cycle })).toContain("not printable"));

  test("a writer that throws", () => {
    const log = createLog({
      format: "json",
      clock: { now: () => NOW },
      write: () => {
        throw new Error("EPIPE");
      },
    });
    expect(() => log.error("m")).not.toThrow();
  });
});
