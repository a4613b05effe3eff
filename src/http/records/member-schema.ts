import { Type } from "@sinclair/typebox";
import { actorSchema } from "./history-schemas.ts";
import { id, memberRole, nullable, type RecordOf, time } from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** A user with whom a drive is shared. */
export const memberSchema = Type.Object(
  {
    user_id: id("The user."),
    username: Type.String({ examples: ["bob"] }),
    role: memberRole(),
    created_at: time("When the drive was shared with the user."),
    created_by: nullable(actorSchema),
  },
  { $id: "Member" },
);

export type MemberRecord = RecordOf<typeof memberSchema>;
