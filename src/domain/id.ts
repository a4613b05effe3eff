import type { Brand } from "./brand.ts";

/** Public identifiers: UUIDv7 in lower case, opaque to callers. */
export type UserId = Brand<string, "UserId">;
export type DriveId = Brand<string, "DriveId">;
export type FileId = Brand<string, "FileId">;
export type KeyId = Brand<string, "KeyId">;

type Id = UserId | DriveId | FileId | KeyId;

/** Makes an identifier that sorts by the time `now` (milliseconds since the epoch). */
export function newId<T extends Id>(now: number): T {
  return Bun.randomUUIDv7("hex", now) as T;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads an identifier a caller sent; null when it cannot be one (which a caller sees as 404). */
export function parseId<T extends Id>(text: string): T | null {
  return UUID.test(text) ? (text.toLowerCase() as T) : null;
}
