declare const brand: unique symbol;

/** A `T` that only its own parser or constructor returns. Two brands of one type cannot be mixed up. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Public identifiers: UUIDv7 in lower case, opaque to callers. */
export type UserId = Brand<string, "UserId">;
export type DriveId = Brand<string, "DriveId">;
export type FileId = Brand<string, "FileId">;
export type KeyId = Brand<string, "KeyId">;
export type SessionId = Brand<string, "SessionId">;
export type TrashId = Brand<string, "TrashId">;
export type SnapshotId = Brand<string, "SnapshotId">;
export type WorkId = Brand<string, "WorkId">;
export type BatchId = Brand<string, "BatchId">;
export type CommentId = Brand<string, "CommentId">;
export type LinkId = Brand<string, "LinkId">;
export type WebhookId = Brand<string, "WebhookId">;
export type DeliveryId = Brand<string, "DeliveryId">;

/** Marks a database and a contents directory that belong together. Never leaves the machine. */
export type StoreId = Brand<string, "StoreId">;

/** Names a batch of jobs of the search index. Never leaves the machine. */
export type IndexBatchId = Brand<string, "IndexBatchId">;

type Id = Brand<string, `${string}Id`>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isId<T extends Id>(text: string): text is T {
  return UUID.test(text);
}

/** Makes an identifier that sorts by time; `now` is in milliseconds since the epoch. */
export function newId<T extends Id>(now: number): T {
  const id = Bun.randomUUIDv7("hex", now);
  if (!isId<T>(id)) throw new Error("the runtime made a malformed UUID");
  return id;
}

/** The time that an identifier was made with, in milliseconds since the epoch. */
export function timeOfId(id: Id): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Reads an identifier that a caller sent; null if it cannot be one (the caller then gets 404). */
export function parseId<T extends Id>(text: string): T | null {
  const lower = text.toLowerCase();
  return isId<T>(lower) ? lower : null;
}

function isHash<T extends Brand<string, string>>(hex: string): hex is T {
  return hex.length === 64;
}

/** A SHA-256 that the runtime has made, as hex, by what it is of. */
export function asHash<T extends Brand<string, string>>(hex: string): T {
  if (!isHash<T>(hex)) throw new Error("the runtime made a malformed hash");
  return hex;
}

/** Primary keys of rows: integers. They never leave the process, so a caller can neither send nor see one. */
export type UserPk = Brand<number, "UserPk">;
export type DrivePk = Brand<number, "DrivePk">;
export type FolderPk = Brand<number, "FolderPk">;
export type FilePk = Brand<number, "FilePk">;
export type BlobPk = Brand<number, "BlobPk">;
export type FileVersionPk = Brand<number, "FileVersionPk">;
export type TrashPk = Brand<number, "TrashPk">;
export type TrashedFilePk = Brand<number, "TrashedFilePk">;
export type FolderWorkPk = Brand<number, "FolderWorkPk">;
export type WebhookPk = Brand<number, "WebhookPk">;
export type DeliveryPk = Brand<number, "DeliveryPk">;
export type SnapshotPk = Brand<number, "SnapshotPk">;
