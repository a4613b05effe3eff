import { expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { RuntimeBase64 } from "../../../src/http/upload/base64.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { bodyOf, readUpload } from "../../support/samples/upload-bodies.ts";
import { failureOf } from "../../support/samples/failure.ts";

// Long runs of digits go through the runtime's decoder, which takes more than a JSON string may hold: each odd
// character must still come out as it does from the loop.

const CONTENT = sampleBytes(30_000);
const DIGITS = Buffer.from(CONTENT.toBase64());

function bodyWith(content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('{"content":"'), content, Buffer.from('"}')]);
}

/** The content of an upload, or how it was refused. */
async function outcomeOf(content: Uint8Array, size = 65_536): Promise<Buffer | string> {
  const { content: read, error } = await readUpload(bodyWith(content), size, readJsonUpload);
  return error instanceof CofferError ? error.message : read;
}

/** The same, which it must be also while so many other uploads are under way that only the loop decodes. */
async function sameByHand(content: Uint8Array, size?: number): Promise<Buffer | string> {
  const outcome = await outcomeOf(content, size);
  using first = new RuntimeBase64();
  using second = new RuntimeBase64();
  using third = new RuntimeBase64();
  expect([first, second, third].map(decodes)).toEqual([false, false, false]);
  expect(outcome).toEqual(await outcomeOf(content, size));
  return outcome;
}

function decodes(decoder: RuntimeBase64): boolean {
  return decoder.decode(DIGITS, 0, 1024, new Uint8Array(768));
}

const PLACES = [0, 1, 2, 3, 1023, 1024, 7777, 16_383, 16_384, 16_387, 32_766, 39_998, 39_999, 40_000];

test.each([1000, 1500, 16_385, 65_536])("a long content in pieces of %i bytes is decoded", async (size) => {
  for (const cut of [0, 1, 2]) {
    const content = Buffer.from(CONTENT.subarray(cut));
    const digits = Buffer.from(content.toString("base64").replace(/=+$/, ""));
    expect(content.equals(Buffer.from(await sameByHand(digits, size)))).toBe(true);
  }
});

test.each(["\t", "\n", "\f", "\r", "\0", "-", "_", "*", "\xa0", "\xff"])(
  "a raw %j anywhere in a long content is refused with its position",
  async (character) => {
    for (const place of PLACES) {
      const refusal = await sameByHand(spoil(place, character));
      expect(refusal).toContain(`unexpected character at position ${place}.`);
    }
  },
);

test("line breaks anywhere in a long content are ignored", async () => {
  for (const place of PLACES) {
    for (const lineBreak of [String.raw`\n`, String.raw`  \r\n\t `]) {
      expect(Buffer.from(CONTENT).equals(Buffer.from(await outcomeOf(spoil(place, lineBreak))))).toBe(true);
    }
  }
});

test("blanks within a long content are refused with their position, at its ends ignored", async () => {
  for (const place of PLACES) {
    for (const blanks of [" ", "    "]) {
      const outcome = await sameByHand(spoil(place, blanks));
      if (place === 0 || place === DIGITS.length)
        expect(Buffer.from(CONTENT).equals(Buffer.from(outcome))).toBe(true);
      else expect(outcome).toContain(`a blank within a line at position ${place}.`);
    }
  }
});

test("padding anywhere in a long content comes out as it does from the loop", async () => {
  for (const place of PLACES) {
    for (const padding of ["=", "=="]) expect(await sameByHand(spoil(place, padding))).toBeString();
  }
});

function spoil(place: number, text: string): Buffer {
  return Buffer.concat([DIGITS.subarray(0, place), Buffer.from(text, "latin1"), DIGITS.subarray(place)]);
}

test("an upload is no longer counted once it has ended, however it ended", async () => {
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(`{"content":"${DIGITS.toString()}`)),
    pull: (controller) => controller.error(new Error("client gone")),
  });
  await failureOf(readJsonUpload(broken, async () => {}));
  const { body } = bodyOf(bodyWith(DIGITS), 65_536);
  await failureOf(readJsonUpload(body, () => Promise.reject(new Error("disk full"))));
  expect(await outcomeOf(spoil(5, "*"))).toBeString();
  await Promise.all(Array.from({ length: 8 }, () => outcomeOf(DIGITS)));
  using first = new RuntimeBase64();
  using second = new RuntimeBase64();
  expect([first, second].map(decodes)).toEqual([true, true]);
});
