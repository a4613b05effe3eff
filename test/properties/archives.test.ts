import { expect, test } from "bun:test";
import { join } from "node:path";
import * as fc from "fast-check";
import { parseDigest } from "../../src/domain/contents/content.ts";
import { type ZipSource, zipStream } from "../../src/services/contents/zip-stream.ts";
import { forAllAsync } from "../support/models/properties.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { ZipReader } from "../support/samples/unzip.ts";

const DIGEST = parseDigest("0".repeat(64));

test("an archive holds every name, time and content that was put in", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const entry = fc.record({
    name: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((text) => text.replaceAll("/", "_")),
    isFolder: fc.boolean(),
    // Small contents are read before their headers are written, larger ones after.
    content: fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc
        .tuple(fc.integer({ min: 65_530, max: 65_550 }), fc.nat(255))
        .map(([size, byte]) => new Uint8Array(size).fill(byte)),
    ),
    modifiedAt: fc.integer({ min: -(10 ** 12), max: 5 * 10 ** 12 }),
    piece: fc.integer({ min: 1, max: 100_000 }),
  });
  const entries = fc.uniqueArray(entry, { maxLength: 8, selector: ({ name }) => name });
  await forAllAsync(0.5, entries, async (given) => {
    const sources = given.map(({ name, isFolder, content, modifiedAt }, index): ZipSource => ({
      number: index + 1,
      name: Buffer.from(isFolder ? `${name}/` : name),
      digest: isFolder ? null : DIGEST,
      size: isFolder ? 0 : content.length,
      modifiedAt,
    }));
    const contentOf = ({ number }: ZipSource) => given[number - 1]?.content ?? new Uint8Array();
    const stream = zipStream(Object.assign(sources, { count: sources.length }), {
      whole: contentOf,
      pieces: async function* (source) {
        const content = contentOf(source);
        const step = given[source.number - 1]?.piece ?? 1;
        for (let at = 0; at < content.length; at += step) yield content.subarray(at, at + step);
      },
    });
    const path = join(place.path, "a.zip");
    await Bun.write(path, Buffer.concat(await Array.fromAsync(stream)));
    using zip = await ZipReader.of(path);
    expect(zip.entries.map(({ name, mode, modifiedAt }) => ({ name, mode, modifiedAt }))).toEqual(
      given.map(({ name, isFolder, modifiedAt }) => ({
        name: isFolder ? `${name}/` : name,
        mode: isFolder ? 0o040755 : 0o100644,
        modifiedAt: modifiedAt < 0 || modifiedAt >= 2 ** 31 * 1000 ? null : Math.floor(modifiedAt / 1000),
      })),
    );
    for (const [index, each] of zip.entries.entries()) {
      const { isFolder = true, content = [] } = given[index] ?? {};
      expect(zip.content(each).equals(Buffer.from(isFolder ? [] : content))).toBeTrue();
    }
  });
});
