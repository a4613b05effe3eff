import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { heldBack } from "../../../src/http/content/piecewise.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

test.each([1, 64 * 1024, 64 * 1024 + 1, 1_000_000])(
  "the end of %d bytes is not sent before they are known to be right",
  async (size) => {
    const bytes = sampleBytes(size);
    let isKnown = false;
    const sent: Uint8Array[] = [];
    const release = async () => {
      expect(sent.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(size);
      isKnown = true;
    };
    for await (const piece of heldBack(new Blob([bytes]), release)) sent.push(piece);
    expect([isKnown, Buffer.concat(sent).equals(bytes)]).toEqual([true, true]);
  },
);

test("what is wrong has no end, nor has a file that has become shorter", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "a");
  await Bun.write(path, sampleBytes(1_000_000));
  const wrong = heldBack(Bun.file(path).slice(0, 1_000_000), () => Promise.reject(new Error("damaged")));
  expect(await Array.fromAsync(wrong).catch(String)).toContain("damaged");
  const short = heldBack(Bun.file(path).slice(0, 1_000_000), async () => {});
  await short.next();
  truncateSync(path, 300_000);
  expect(await Array.fromAsync(short).catch(String)).toContain("shorter");
});
