import { open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BlobFacts, type DamagedBlob, damageIn, requireBytes } from "../blobs/blob-file.ts";
import type { Snapshot } from "../db/upkeep/database-copy.ts";
import { parseDigest } from "../domain/contents/content.ts";
import { BackupError } from "./place.ts";

/** Characters that are written at once. */
const PIECE = 64 * 1024;
/** How many contents are copied at once. */
export const AT_ONCE = 8;
/** How many contents are checked in one turn of the event loop. */
const A_TURN = 100;

/** Writes a list of contents: a line for each, its digest and its size. Returns how many there are, and their bytes. */
export async function writeContentList(path: string, contents: Iterable<BlobFacts>) {
  await using file = await open(path, "wx", 0o600);
  let [count, bytes, text] = [0, 0, ""];
  for (const { digest, size } of contents) {
    count += 1;
    bytes += size;
    text += `${digest} ${size}\n`;
    if (text.length < PIECE) continue;
    await file.appendFile(text);
    text = "";
  }
  await file.appendFile(text);
  return { count, bytes };
}

/** A list of contents is not as it was written. */
export class DamagedList extends BackupError {}

/** Reads a list of contents. Throws DamagedList for a line that is none. */
export async function* readContentList(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BlobFacts> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield contentOf(line);
  }
  if (rest !== "") throw new DamagedList("A backup's list of contents is cut off.");
}

function contentOf(line: string): BlobFacts {
  const digest = parseDigest(line.slice(0, 64));
  const size = /^ (\d{1,15})$/.exec(line.slice(64))?.[1];
  if (digest === null || size === undefined) throw new DamagedList("A backup's list of contents is damaged.");
  return { digest, size: Number(size) };
}

/** Checks every byte of the contents that are in a copy of the database. Yields those that are damaged. */
export async function* damagedSmallContents(
  snapshot: Snapshot,
): AsyncGenerator<BlobFacts & { readonly damage: DamagedBlob }> {
  let checked = 0;
  for (const { digest, size, bytes } of snapshot.smallContents()) {
    const content = { digest, size };
    const damage = await damageIn(() => requireBytes(`content ${digest} in the database`, bytes, content));
    if (damage !== null) yield { ...content, damage };
    checked += 1;
    if (checked % A_TURN === 0) await nextTurn();
  }
}
