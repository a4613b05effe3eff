import { call } from "./api/api.ts";

/** What was put back: where it stands now. */
interface Restored {
  readonly path: string;
}

/** Puts an entry of the trash back to its place, or beside what stands there now. */
export function restoreFromTrash(id: string): Promise<Restored> {
  return call("POST", `/v0/trash/${id}/restore`, { body: {} });
}
