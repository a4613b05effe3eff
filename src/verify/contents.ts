import type { StoredBlobs } from "../blobs/stored-blobs.ts";
import { type BlobFacts, damageIn, requireBytes } from "../blobs/blob-file.ts";
import { UnavailableBlob } from "../blobs/blob-place.ts";
import type { VerifiedDatabase } from "../db/verify/verified-database.ts";
import { type Digest, keptWhere } from "../domain/contents/content.ts";
import { type Finding, quoted } from "../domain/upkeep/finding.ts";
import { SMALL_CONTENT_BYTES } from "../domain/limits.ts";
import type { Repair } from "./repair.ts";

/** What a verification says while it runs. */
export type VerifyEvent =
  | ({ readonly kind: "finding" } & Finding)
  /** Something that was wrong, and no longer is. */
  | { readonly kind: "repaired"; readonly about: string }
  /** Nothing wrong, but worth knowing. */
  | { readonly kind: "note"; readonly about: string }
  /** How many contents have been checked, of how many, and their bytes. */
  | { readonly kind: "progress"; readonly contents: number; readonly of: number; readonly bytes: number };

/** How many contents one query returns. */
const BATCH = 200;

interface ContentsParts {
  readonly database: VerifiedDatabase;
  readonly contents: StoredBlobs;
  readonly isQuick: boolean;
  /** Null to change nothing. */
  readonly repair: Repair | null;
}

/**
 * Checks every content that has a row, in the order of their digests. It holds no snapshot, which would keep the server
 * from emptying its log: what seems damaged is looked at again, since it may have been removed or replaced meanwhile.
 * Returns how many contents could not be checked because a disk is away.
 */
export async function* verifyContents(parts: ContentsParts): AsyncGenerator<VerifyEvent, number> {
  const { database } = parts;
  const requireListed = parts.contents.sizesInOrder();
  const of = database.countContents();
  let [contents, bytes, unavailable] = [0, 0, 0];
  for (let after = ""; ;) {
    const batch = database.contents(after, BATCH);
    if (batch.length === 0) return unavailable;
    for (const content of batch) {
      try {
        yield* verifyContent(parts, content, requireListed);
      } catch (error) {
        if (!(error instanceof UnavailableBlob)) throw error;
        if (database.has(content.digest)) unavailable += 1;
      }
      contents += 1;
      bytes += content.size;
      yield { kind: "progress", contents, of, bytes };
      after = content.digest;
    }
  }
}

async function* verifyContent(
  parts: ContentsParts,
  content: BlobFacts,
  requireListed: (content: BlobFacts) => Promise<void>,
): AsyncGenerator<VerifyEvent> {
  const { database, repair, contents } = parts;
  const { digest } = content;
  const check = (requireSize: (content: BlobFacts) => Promise<void>) =>
    damageIn(() => requireRight(parts, content, requireSize));
  // A list may be older than a content.
  const damage = (await check(requireListed)) && (await check((each) => contents.requireSize(each)));
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

async function requireRight(
  { database, contents, isQuick }: ContentsParts,
  content: BlobFacts,
  requireSize: (content: BlobFacts) => Promise<void>,
): Promise<void> {
  const bytes = content.size <= SMALL_CONTENT_BYTES ? database.bytesOf(content.digest) : null;
  if (bytes !== null) return requireBytes(`content ${content.digest} in the database`, bytes, content);
  if (isQuick) return requireSize(content);
  const pieces = contents.pieces(content);
  while ((await pieces.next()).done !== true);
}

function aboutOf(database: VerifiedDatabase, digest: Digest): string {
  const place = database.placeOf(digest);
  return place === null
    ? `${digest} of no file`
    : `${digest} drive ${place.drive} path ${quoted(place.path)}${keptWhere(place)}`;
}
