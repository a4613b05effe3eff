import type { FileFacts } from "../../domain/files/file.ts";

/** Where the dashboard shows a file. Its folder is left out, which may be long and may change. */
export function fileAddress(base: string, { driveId, id }: FileFacts): string {
  return `${base}/drives/${driveId}/?file=${id}`;
}
