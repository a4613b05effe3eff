import type { Caller } from "../../../src/domain/accounts/caller.ts";
import type { File } from "../../../src/domain/files/file.ts";
import type { DriveId } from "../../../src/domain/id.ts";
import type { Services } from "../../../src/services/services.ts";
import { UNCONDITIONAL } from "../samples/unconditional.ts";
import { type OpenedServices, type Opening, openOwnServices } from "./opened-services.ts";

/** Who has a key. What is asked in this way counts for no limit. */
export function callerWith({ apiKeys }: Pick<Services, "apiKeys">, key: string): Caller {
  const caller = apiKeys.authenticate(key);
  if (caller === null) throw new Error("the key is not known");
  return caller;
}

/** A new unclaimed drive, and its agent. */
export async function driveIn(
  services: Pick<Services, "apiKeys" | "drives">,
): Promise<{ key: string; caller: Caller; drive: DriveId }> {
  const { apiKey, driveId } = await services.drives.provision("Drive");
  return { key: apiKey, caller: callerWith(services, apiKey), drive: driveId };
}

/** Services in a directory of their own, with a drive in which somebody may do everything. */
export interface OpenedDrive extends OpenedServices {
  readonly caller: Caller;
  readonly drive: DriveId;
}

/** With an unclaimed drive, and its agent. */
export async function openWithDrive(opening?: Opening): Promise<OpenedDrive> {
  const opened = await openOwnServices(opening);
  return { ...opened, ...(await driveIn(opened.services)) };
}

/** With a drive of Ada's, and a key of hers. */
export async function openWithAda(opening?: Opening, keyName?: string): Promise<OpenedDrive> {
  const opened = await openOwnServices(opening);
  const caller = await addCaller(opened.services, "ada", keyName);
  return { ...opened, caller, drive: (await opened.services.drives.create(caller, "Drive", "")).id };
}

/** A new account, and a key of it. */
export async function addCaller(
  services: Pick<Services, "apiKeys" | "users">,
  username: string,
  keyName = "",
): Promise<Caller> {
  await services.users.createFromShell(username, `${username}'s password`);
  const { secret } = await services.apiKeys.createFor(username, keyName, "read-write");
  return callerWith(services, secret);
}

/** Who uploads, and where to. */
interface UploadPlace {
  readonly services: Pick<Services, "uploads">;
  readonly caller: Caller;
  readonly drive: string;
}

/** How many bytes of an upload are written at once. */
const PIECE = 50_000;

/** Uploads a file, or replaces it. */
export async function storeFile(
  { services, caller, drive }: UploadPlace,
  path: string,
  content: Uint8Array | string = "x",
  more: { readonly tags?: readonly string[]; readonly expiresAt?: string | undefined } = {},
): Promise<{ file: File; created: boolean }> {
  const upload = await services.uploads.begin(caller, drive);
  const { tags, expiresAt } = more;
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; at += PIECE) await upload.write(bytes.subarray(at, at + PIECE));
    const unset = { filename: undefined, contentType: undefined, metadata: undefined };
    return await upload.finish({ ...unset, driveId: drive, path, tags, expiresAt }, UNCONDITIONAL);
  } finally {
    await upload.abort();
  }
}
