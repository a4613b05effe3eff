import { expect, test } from "bun:test";
import { MIB } from "../../../src/domain/limits.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";
import { someOf } from "../../support/server/thorough.ts";

/** Bytes that one turn may search, copy or compare: a millisecond or two. */
const MOST_BYTES = 3 * MIB;

const LINE = "one line of a text that is edited\n";

function lines(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(LINE.repeat(Math.floor(bytes / LINE.length)));
}

const LONG = lines(15 * MIB);
const LINES = LONG.length / LINE.length;
const many = (count: number, edit: Json): Json => ({ edits: Array.from({ length: count }, () => edit) });
const insert = (line: number): Json => ({ op: "insert", line, text: "x" });
const replace = (old_string: string, new_string: string, more = {}): Json => {
  return { op: "str_replace", old_string, new_string, ...more };
};
const ALL = { replace_all: true };

/** Texts of the largest sizes, in every encoding, and what edits them at many places, or far down. */
const CASES: readonly (readonly [name: string, text: Buffer<ArrayBuffer>, edit: Json, status: number])[] = [
  ["an insertion far down", LONG, insert(LINES - 1), 200],
  ["an insertion at the start", LONG, insert(0), 200],
  ["a text that is not there", LONG, replace("nowhere", ""), 409],
  ["a text that is there often", LONG, replace("one line", ""), 409],
  ["many places", lines(3 * MIB), replace("line of", "row", ALL), 200],
  ["the same again at many places", lines(3 * MIB), replace("line", "line", ALL), 200],
  ["many edits", lines(MIB - LINE.length), many(100, insert(30_000)), 200],
  ["UTF-16", Buffer.from(`\ufeff${lines(7 * MIB).toString()}`, "utf16le"), insert(9), 200],
  ["Latin-1", Buffer.concat([Buffer.from([0xe4, 0x0a]), LONG]), insert(LINES - 1), 200],
];

test.each(someOf(CASES, 3))(
  "an edit of a long text lets others go first: %s",
  async (_, text, body, status) => {
    await using coffer = await startAppliance();
    const { client, id } = await provision(coffer);
    const place = `drive_id=${id}&path=long.txt`;
    await client.json(201, "PUT", `/v0/files?${place}`, {
      body: text,
      headers: { "content-type": "text/plain" },
    });
    using meter = new ByteMeter();
    const answered = await client.status("POST", `/v0/files/by-path/edit?${place}`, { body });
    const tooMany = Math.max(0, meter.largest() - MOST_BYTES);
    expect([answered, tooMany]).toEqual([status, 0]);
  },
);

/** What a call costs beside its bytes. */
const CALL = 100;

/**
 * Counts what is done with bytes in one turn of the event loop, in which all others wait: each byte that is searched,
 * copied, compared, or made to characters by a call of the runtime.
 */
class ByteMeter implements Disposable {
  #bytes = 0;
  #largest = 0;
  #isTurnKnown = false;
  readonly #watched = new DisposableStack();

  constructor() {
    const { prototype } = Buffer;
    this.#watch(
      prototype,
      "indexOf",
      ({ length }, [, from], found) => (found === -1 ? length : or(found, 0)) - or(from, 0),
    );
    this.#watch(prototype, "lastIndexOf", ({ length }, [, from], found) => or(from, length) - or(found, 0));
    this.#watch(prototype, "copy", (_, __, copied) => or(copied, 0));
    this.#watch(prototype, "compare", ({ length }, [, start, end]) => or(end, length) - or(start, 0));
    this.#watch(Buffer, "concat", (_, __, joined) => (joined instanceof Buffer ? joined.length : 0));
  }

  #watch(
    of: object,
    name: string,
    bytes: (of: Buffer, args: readonly unknown[], result: unknown) => number,
  ): void {
    const done: unknown = Reflect.get(of, name);
    if (typeof done !== "function") throw new Error(`there is no ${name}`);
    const count = this.#count.bind(this);
    Reflect.set(of, name, function (this: Buffer, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(done, this, args);
      count(bytes(this, args, result));
      return result;
    });
    this.#watched.defer(() => void Reflect.set(of, name, done));
  }

  /** The bytes of the largest turn since the last call. */
  largest(): number {
    const largest = Math.max(this.#largest, this.#bytes);
    this.#largest = 0;
    this.#bytes = 0;
    return largest;
  }

  [Symbol.dispose](): void {
    this.#watched.dispose();
  }

  #count(bytes: number): void {
    this.#bytes += bytes + CALL;
    if (this.#isTurnKnown) return;
    this.#isTurnKnown = true;
    setImmediate(() => {
      this.#isTurnKnown = false;
      this.#largest = this.largest();
    });
  }
}

function or(given: unknown, otherwise: number): number {
  return typeof given === "number" ? given : otherwise;
}
