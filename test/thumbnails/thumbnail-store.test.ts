import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asHash, newId, type DriveId } from "../../src/domain/id.ts";
import type { Digest } from "../../src/domain/contents/content.ts";
import { type ThumbnailName, ThumbnailStore } from "../../src/thumbnails/thumbnail-store.ts";
import { png } from "../support/samples/pictures.ts";
import {
  FAST_DIRECTORY,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../support/server/temporary-directory.ts";
import { eventually } from "../support/server/scenario.ts";

/** What each counts for. */
const LEAST = 16 * 1024;
const HOUR = 3_600_000;
const driveId = newId<DriveId>(1);
const bytes = await new Bun.Image(png(9, 9)).webp().bytes();

let scratch: TemporaryDirectory;
let directory: string;

beforeEach(async () => {
  scratch = await temporaryDirectory(FAST_DIRECTORY);
  directory = join(scratch.path, "thumbnails");
});
afterEach(() => scratch[Symbol.asyncDispose]());

const named = (at: number): ThumbnailName => ({
  digest: asHash<Digest>(Bun.SHA256.hash(String(at), "hex")),
  driveId,
  size: "small",
});

/** Which of some thumbnails a store has, without using them. */
const inStore = (...all: number[]) =>
  all.filter((at) => {
    const { digest } = named(at);
    return existsSync(join(directory, digest.slice(0, 2), `${digest}.${driveId}.small.webp`));
  });

test("what was not used for longest goes first, also after a restart", async () => {
  const store = new ThumbnailStore(directory, 3 * LEAST);
  for (const at of [1, 2, 3]) await store.put(named(at), bytes, at * HOUR);
  expect(await store.get(named(1), 10 * HOUR)).toEqual(new Uint8Array(bytes));
  await store.put(named(4), bytes, 11 * HOUR);
  await eventually(() => inStore(2).length === 0);
  expect(inStore(1, 2, 3, 4)).toEqual([1, 3, 4]);
  const smaller = new ThumbnailStore(directory, 2 * LEAST);
  expect(await smaller.get(named(3), 12 * HOUR)).toBeNull();
  expect(await smaller.get(named(1), 12 * HOUR)).not.toBeNull();
  await eventually(() => inStore(3).length === 0);
});

test("a start removes what was left half written, and nothing that is not its own", async () => {
  mkdirSync(join(directory, "ab"), { recursive: true });
  const half = join(directory, `coffer-${crypto.randomUUID()}.tmp`);
  const foreign = join(directory, "ab", "photo.webp");
  for (const path of [half, foreign]) writeFileSync(path, "x");
  const store = new ThumbnailStore(directory, LEAST);
  await store.put(named(1), bytes, HOUR);
  expect([existsSync(half), existsSync(foreign), inStore(1)]).toEqual([false, true, [1]]);
});

test("a thumbnail that cannot be written leaves nothing behind", async () => {
  const store = new ThumbnailStore(directory, LEAST);
  const { digest } = named(1);
  // A directory in its place.
  const place = join(directory, digest.slice(0, 2), `${digest}.${driveId}.small.webp`);
  mkdirSync(join(place, "x"), { recursive: true });
  expect(await store.put(named(1), bytes, HOUR).catch(() => "failed")).toBe("failed");
  expect(readdirSync(directory)).toEqual([digest.slice(0, 2)]);
  expect(await store.get(named(1), HOUR)).toBeNull();
});
