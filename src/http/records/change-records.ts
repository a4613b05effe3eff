import type { Change, ContentFacts } from "../../domain/changes/change.ts";
import { formatInstant } from "../../domain/time.ts";
import type { ChangeRecord } from "./change-schemas.ts";
import { actorRecord } from "./records.ts";
import { encodeChangePosition } from "../operation/cursor.ts";

export function changeRecord(change: Change): ChangeRecord {
  return {
    id: encodeChangePosition({ ...change, from: change.number }),
    type: change.type,
    drive_id: change.driveId,
    path: change.path,
    previous_path: change.previousPath,
    file_id: change.fileId,
    before: contentRecord(change.before),
    after: contentRecord(change.after),
    file_count: change.fileCount,
    version: change.version,
    ref: change.ref,
    by: actorRecord(change.by),
    at: formatInstant(change.at),
  };
}

function contentRecord(content: ContentFacts | null) {
  return content === null ? null : { content_hash: `sha256:${content.digest}`, size: content.size };
}
