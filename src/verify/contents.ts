import type { BlobDirectory } from "../blobs/blob-directory.ts";
import { type BlobFacts, DamagedBlob, requireBytes } from "../blobs/blob-file.ts";
import type { VerifiedDatabase } from "../db/verify/verified-database.ts";
import type { Digest } from "../domain/contents/digest.ts";
import { quoted } from "../domain/upkeep/finding.ts";
import { SMALL_CONTENT_BYTES } from "../domain/limits.ts";
import { keptWhere } from "../domain/contents/stored-place.ts";
import type { Repair } from "./repair.ts";
import type { VerifyEvent } from "./event.ts";

/** How many contents one query returns. */
const BATCH = 200;

interface ContentsParts {
  readonly database: VerifiedDatabase;
  readonly contents: BlobDirectory;
  readonly isQuick: boolean;
  /** Null to change nothing. */
  readonly repair: Repair | null;
}

/**
 * Checks every content that has a row, in the order of their digests. It holds no snapshot, which would keep the server
 * from emptying its log: what seems damaged is looked at again, since it may have been removed or replaced meanwhile.
 */
export async function* verifyContents(parts: ContentsParts): AsyncGenerator<VerifyEvent> {
  const { database } = parts;
  const of = database.countContents();
  let [contents, bytes] = [0, 0];
  for (let after = ""; ;) {
    const batch = database.contents(after, BATCH);
    if (batch.length === 0) return;
    for (const content of batch) {
      yield* verifyContent(parts, content);
      contents += 1;
      bytes += content.size;
      yield { kind: "progress", contents, of, bytes };
      after = content.digest;
    }
  }
}

async function* verifyContent(parts: ContentsParts, content: BlobFacts): AsyncGenerator<VerifyEvent> {
  const { database, repair } = parts;
  const { digest } = content;
  const damage = (await damageOf(parts, content)) && (await damageOf(parts, content));
  if (!database.has(digest)) return;
  const about = aboutOf(database, digest);
  if (damage === null) {
    if (!database.isRefused(digest)) return;
    if (repair === null) {
      yield { kind: "note", about: `${about} is whole again; a running server sees that within a minute` };
    } else if (!parts.isQuick) {
      await repair.release(digest);
      yield { kind: "repaired", about: `${about} is whole` };
    }
  } else if (repair !== null && (await repair.content(content))) {
    yield { kind: "repaired", about: `${about} was written anew: ${damage.message}` };
  } else {
    const hint = repair === null ? "" : "; there are no right bytes to repair it from";
    const code = damage.isMissing ? "content-missing" : "content-damaged";
    yield { kind: "finding", code, about: `${about}: ${damage.message}${hint}` };
  }
}

async function damageOf(parts: ContentsParts, content: BlobFacts): Promise<DamagedBlob | null> {
  try {
    await requireRight(parts, content);
    return null;
  } catch (error) {
    if (error instanceof DamagedBlob) return error;
    throw error;
  }
}

async function requireRight(
  { database, contents, isQuick }: ContentsParts,
  content: BlobFacts,
): Promise<void> {
  const bytes = content.size <= SMALL_CONTENT_BYTES ? database.bytesOf(content.digest) : null;
  if (bytes !== null) return requireBytes(`content ${content.digest} in the database`, bytes, content);
  if (isQuick) return contents.requireSize(content);
  const pieces = contents.pieces(content);
  while ((await pieces.next()).done !== true);
}

function aboutOf(database: VerifiedDatabase, digest: Digest): string {
  const place = database.placeOf(digest);
  return place === null
    ? `${digest} of no file`
    : `${digest} drive ${place.drive} path ${quoted(place.path)}${keptWhere(place)}`;
}
