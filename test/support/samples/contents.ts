import { Database as Sqlite } from "bun:sqlite";
import { join } from "node:path";
import { expect } from "bun:test";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import type { Services } from "../../../src/services/services.ts";
import type { TestAppliance } from "../server/appliance.ts";
import type { Client } from "../server/client.ts";
import type { FakeClock } from "../server/fake-clock.ts";

/** A content that a data directory keeps; its size is in bytes. */
interface KeptContent {
  readonly digest: string;
  readonly size: number;
}

/** A content of so many bytes that no other call gave. */
export function newContent(bytes: number): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(bytes);
  crypto.getRandomValues(made.subarray(0, 16));
  return made;
}

/** The contents that are files of their own. */
export function filesIn(dataDir: string): KeptContent[] {
  const blobs = join(dataDir, "blobs");
  return [...new Bun.Glob("*/*").scanSync(blobs)].map((name) => ({
    digest: name.slice(3),
    size: Bun.file(join(blobs, name)).size,
  }));
}

/** All contents, those in the database as well. */
export function contentsIn(dataDir: string): KeptContent[] {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  const small = sql
    .query<KeptContent, []>(
      "SELECT b.digest, length(c.bytes) AS size FROM small_content c JOIN blob b ON b.pk = c.blob",
    )
    .all();
  return [...filesIn(dataDir), ...small];
}

/** Bytes of all contents. */
export function onDisk({ root }: { readonly root: string }): number {
  return contentsIn(root).reduce((sum, { size }) => sum + size, 0);
}

/** Where a content is that has a file of its own. */
export function fileOf(dataDir: string, digest: string): string {
  return join(dataDir, "blobs", digest.slice(0, 2), digest);
}

/** A file's download must be this content. */
export async function requireContent(
  client: Client,
  { id, content }: { readonly id: string; readonly content: Uint8Array },
): Promise<void> {
  const answer = await client.fetch("GET", `/v0/files/${id}/download`);
  expect(answer.status).toBe(200);
  expect(Buffer.compare(await answer.bytes(), content)).toBe(0);
}

/** Removes the contents that no file has, whose grace period must be over for that. */
export async function sweepContents({ appliance, clock }: TestAppliance): Promise<void> {
  await appliance.services.sweep.run();
  clock.advance(ORPHAN_GRACE_MS);
  await appliance.services.sweep.run();
}

/**
 * Sweeps again and again while something happens, each time so much later. What happens may ask how many contents were
 * collected so far.
 */
export async function whileSweeping<T>(
  { services, clock }: { readonly services: Pick<Services, "sweep">; readonly clock: FakeClock },
  pauseMs: number,
  happens: (collected: () => number) => Promise<T>,
): Promise<T> {
  const state = { isOver: false, collected: 0 };
  const sweeping = (async () => {
    while (!state.isOver) {
      state.collected += (await services.sweep.run()).blobs;
      clock.advance(pauseMs);
    }
  })();
  try {
    return await happens(() => state.collected);
  } finally {
    state.isOver = true;
    await sweeping;
  }
}
