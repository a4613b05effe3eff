import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LineWriter } from "../../src/commands/terminal.ts";

const KIB = 1024;

/** A stream that takes one text after the other, when the test says so. */
class Stream {
  readonly taken: string[] = [];
  #pending: { text: string; done: (error?: Error) => void } | null = null;

  readonly write = (text: string, done: (error?: Error) => void): void => {
    if (this.#pending !== null) throw new Error("two texts are being written at once");
    this.#pending = { text, done };
  };

  get pending(): string | null {
    return this.#pending?.text ?? null;
  }

  /** Takes what is being written. */
  take(): void {
    const pending = this.#end();
    this.taken.push(pending.text);
    pending.done();
  }

  fail(): void {
    this.#end().done(new Error("broken pipe"));
  }

  #end() {
    const pending = this.#pending;
    if (pending === null) throw new Error("nothing is being written");
    this.#pending = null;
    return pending;
  }
}

/** A writer that drops, and says so in a line, and where it writes. */
function dropping(): { stream: Stream; lines: LineWriter } {
  const stream = new Stream();
  const lines = new LineWriter(stream.write);
  lines.dropBeyondLimit((count) => lines.add(`dropped ${count}`));
  return { stream, lines };
}

test("lines that come while others are being written follow them, in order and whole", () => {
  const stream = new Stream();
  const lines = new LineWriter(stream.write);
  lines.add("a");
  lines.add("b");
  lines.flush();
  lines.add("c");
  lines.flush();
  expect(stream.pending).toBe("a\nb\n");
  stream.take();
  stream.take();
  expect(stream.taken).toEqual(["a\nb\n", "c\n"]);
});

test("without a limit everything waits for its reader", () => {
  const stream = new Stream();
  const lines = new LineWriter(stream.write);
  for (let i = 0; i < 4; i++) {
    lines.add("x".repeat(KIB * KIB));
    lines.flush();
  }
  while (stream.pending !== null) stream.take();
  expect(stream.taken.join("").length).toBe(4 * (KIB * KIB + 1));
});

test("beyond 1 MiB lines are dropped, and counted where the gap is", () => {
  const { stream, lines } = dropping();
  const line = "x".repeat(KIB - 1);
  lines.add("first");
  lines.flush();
  for (let i = 0; i < 2000; i++) lines.add(line);
  // Shorter than the room that is left, but later than what was dropped.
  lines.add("y");
  while (stream.pending !== null) stream.take();
  const written = stream.taken.join("").split("\n");
  const kept = written.filter((text) => text === line).length;
  expect(kept).toBeWithin(1020, 1024);
  expect(written).toEqual(["first", ...Array<string>(kept).fill(line), `dropped ${2001 - kept}`, ""]);
});

test("a line after the gap is written as before, and the report comes once", () => {
  const { stream, lines } = dropping();
  for (let i = 0; i < 3; i++) {
    lines.add("x".repeat(KIB * KIB - 100));
    lines.flush();
  }
  while (stream.pending !== null) stream.take();
  lines.add("later");
  lines.flush();
  stream.take();
  expect(stream.taken.join("").match(/dropped.*|later/g)).toEqual(["dropped 2", "later"]);
});

test("a stream that fails is tried with the next line only; what failed is counted", () => {
  const { stream, lines } = dropping();
  lines.add("a");
  lines.add("b");
  lines.flush();
  stream.fail();
  expect(stream.pending).toBeNull();
  lines.add("c");
  lines.flush();
  stream.fail();
  lines.add("d");
  lines.flush();
  // Begins on a line of its own: what failed may have been half written.
  expect(stream.pending).toBe("\ndropped 4\n");
  stream.take();
  lines.add("e");
  lines.flush();
  expect(stream.pending).toBe("e\n");
});

test("the report of what failed is no new line: a stream that is gone is not tried again and again", async () => {
  const { stream, lines } = dropping();
  for (const line of ["a", "b"]) {
    lines.add(line);
    await nextTurn();
    expect(stream.pending).not.toBeNull();
    stream.fail();
  }
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(stream.pending).toBeNull();
});

test("it is idle once everything is written, or has failed", async () => {
  const { stream, lines } = dropping();
  await lines.idle();
  lines.add("a");
  const idle = lines.idle();
  lines.add("b");
  stream.take();
  expect(stream.pending).toBe("b\n");
  stream.fail();
  await idle;
});
