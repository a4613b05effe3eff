import type { DriveId, KeyId, SessionId, UserId } from "../id.ts";
import type { AuditFacts, AuditSubject } from "./audit-event.ts";

export function userSubject({
  id,
  username,
}: {
  readonly id: UserId;
  readonly username: string;
}): AuditSubject {
  return { kind: "user", id, name: username };
}

export function sessionSubject(id: SessionId): AuditSubject {
  return { kind: "session", id, name: null };
}

export function keySubject({ id, name }: { readonly id: KeyId; readonly name: string | null }): AuditSubject {
  return { kind: "key", id, name };
}

/** For what is done to a drive as a whole. */
export function ofDrive({
  id,
  name,
}: {
  readonly id: DriveId;
  readonly name: string;
}): Pick<AuditFacts, "subject" | "driveId"> {
  return { subject: { kind: "drive", id, name }, driveId: id };
}
