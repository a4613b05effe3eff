import type { NamedActor } from "../changes/actor.ts";
import type { UserId } from "../id.ts";
import type { MemberRole } from "./role.ts";

/** A user with whom a drive is shared. */
export interface Member {
  readonly userId: UserId;
  readonly username: string;
  readonly role: MemberRole;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: NamedActor | null;
}
