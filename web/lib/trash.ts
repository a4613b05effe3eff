import { call } from "./api.ts";

/** What was put back: where it stands now, and of a file, its id. */
export interface Restored {
  readonly path: string;
  readonly file_id?: string;
}

/** Puts an entry of the trash back to its place, or beside what stands there now. */
export function restoreFromTrash(id: string): Promise<Restored> {
  return call("POST", `/v0/trash/${id}/restore`, { body: {} });
}
