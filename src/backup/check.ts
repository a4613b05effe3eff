import { damageIn, type BlobFacts } from "../blobs/blob-file.ts";
import type { StoredBucket } from "../blobs/bucket/stored-bucket.ts";
import { counted } from "../domain/contents/texts/text.ts";
import type { BackupAddress } from "../domain/upkeep/backup-address.ts";
import type { FindingCode } from "../domain/upkeep/finding.ts";
import type { VerifyEvent } from "../verify/contents.ts";
import { DamagedList, readContentList } from "./contents.ts";
import { lookInBucket } from "./leaving.ts";
import { type Manifest, nameOfPart, type Part, PARTS } from "./manifest.ts";
import { bucketOf, openBackup } from "./opening.ts";
import { type BackupPlace, lookInPlace, measured, nameOfContent, wholeAtLast } from "./place.ts";
import type { S3Access } from "./s3-place.ts";

interface CheckOptions extends S3Access {
  readonly dataDir: string;
  /** Whether all bytes are read; else only the lists of contents are, and sizes are compared. */
  readonly isFull: boolean;
}

/**
 * Checks a backup where it is: one by its id, or the newest. Its list of contents is read piece by piece, so memory does
 * not grow with it. Throws BackupError, and UnavailableBlob while a bucket does not answer.
 */
export async function* checkBackup(
  address: BackupAddress,
  id: string | null,
  { isFull, ...options }: CheckOptions,
): AsyncGenerator<VerifyEvent> {
  const { place, manifest } = await openBackup(address, id, options);
  const bucket = await bucketOf(manifest, options);
  yield { kind: "note", about: costOf(manifest, isFull) };
  yield* checkParts(place, manifest, isFull);
  const progress = new Progress(manifest);
  const isThere = isFull ? readsWhole(place) : lookInPlace(place);
  yield* checkListed(place, manifest, PARTS.contents, async function* (content) {
    if (!(await isThere(content))) yield ofContent(content, "is missing in the backup, or is not as it was");
    yield progress.add(content);
  });
  if (bucket === null) return;
  if (!(await bucket.hasLease(manifest.id))) {
    yield damaged(`its lease is missing in ${bucket.name}: contents that it needs may be removed there`);
  }
  const damageOf = isFull ? readsInBucket(bucket) : lookInBucket(bucket);
  yield* checkListed(place, manifest, PARTS.inBucket, async function* (content) {
    const damage = await damageOf(content);
    if (damage !== null) yield ofContent(content, damage.message, damage.isMissing);
    yield progress.add(content);
  });
}

/** What the check reads: for that somebody may have to pay. */
function costOf({ id, parts, contents, in_bucket }: Manifest, isFull: boolean): string {
  const { count = 0, bytes = 0 } = in_bucket ?? {};
  const all = contents.bytes + bytes + parts.reduce((sum, { size }) => sum + size, 0);
  const what = `the backup ${id} with ${counted(contents.count + count, "content")}`;
  return isFull
    ? `all ${all} bytes of ${what} are read`
    : `${what} is only listed; with --full all ${all} bytes of it are read`;
}

/** Checks all but the lists, which are read when their contents are checked. */
async function* checkParts(
  place: BackupPlace,
  { id, parts }: Manifest,
  isFull: boolean,
): AsyncGenerator<VerifyEvent> {
  const sizes = new Map<string, number>();
  for await (const { name, size } of place.list(nameOfPart(id, ""))) sizes.set(name, size);
  for (const part of parts) {
    if (part.name === PARTS.contents || part.name === PARTS.inBucket) continue;
    const name = nameOfPart(id, part.name);
    const isRight = isFull ? await isPartWhole(place, name, part) : sizes.get(name) === part.size;
    if (!isRight) yield damaged(`${part.name} is missing, or is not as it was`);
  }
}

/** Checks each content of a list, and that the list is as it was. */
async function* checkListed(
  place: BackupPlace,
  { id, parts }: Manifest,
  list: Part["name"],
  check: (content: BlobFacts) => AsyncGenerator<VerifyEvent>,
): AsyncGenerator<VerifyEvent> {
  const part = parts.find(({ name }) => name === list);
  const name = nameOfPart(id, list);
  // What is wrong with it is found before its contents are.
  const bytes = part !== undefined && (await isPartWhole(place, name, part)) ? await place.read(name) : null;
  if (bytes === null) {
    yield damaged(`${list} is missing, or is not as it was`);
    return;
  }
  try {
    for await (const content of readContentList(bytes)) yield* check(content);
  } catch (error) {
    if (!(error instanceof DamagedList)) throw error;
    yield damaged(error.message);
  }
}

function isPartWhole(place: BackupPlace, name: string, { sha256, size }: Part): Promise<boolean> {
  return isWhole(place, name, { digest: sha256, size });
}

function readsWhole(place: BackupPlace): (content: BlobFacts) => Promise<boolean> {
  return (content) => isWhole(place, nameOfContent(content.digest), content);
}

function isWhole(place: BackupPlace, name: string, { digest, size }: BlobFacts): Promise<boolean> {
  return wholeAtLast(async () => {
    const bytes = await place.read(name);
    if (bytes === null) return false;
    const found = await measured(bytes);
    return found.sha256 === digest && found.size === size;
  });
}

function readsInBucket(bucket: StoredBucket): ReturnType<typeof lookInBucket> {
  return (content) =>
    damageIn(async () => {
      const pieces = bucket.pieces(content);
      while ((await pieces.next()).done !== true);
    });
}

/** How far the check is. */
class Progress {
  readonly #of: number;
  #contents = 0;
  #bytes = 0;

  constructor({ contents, in_bucket }: Manifest) {
    this.#of = contents.count + (in_bucket?.count ?? 0);
  }

  add({ size }: BlobFacts): VerifyEvent {
    this.#contents += 1;
    this.#bytes += size;
    return { kind: "progress", contents: this.#contents, of: this.#of, bytes: this.#bytes };
  }
}

function damaged(about: string): VerifyEvent {
  return { kind: "finding", code: "backup-damaged", about };
}

function ofContent({ digest }: BlobFacts, problem: string, isMissing = false): VerifyEvent {
  const code: FindingCode = isMissing ? "content-missing" : "content-damaged";
  return { kind: "finding", code, about: `${digest}: ${problem}` };
}
