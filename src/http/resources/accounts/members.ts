import { Type } from "@sinclair/typebox";
import { MEMBERS } from "../../../domain/limits.ts";
import { operation, pageAnswer, tagged } from "../../operation/route.ts";
import { memberSchema } from "../../records/account-schemas.ts";
import { memberRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { asData, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const driveParams = Type.Object({ id: t.driveRef() });
const memberParams = Type.Object({ id: t.driveRef(), user_id: t.id("The member's `user_id`.") });
const oneMember = Type.Object({ data: memberSchema });

export function members({ members: service, keyThrottle }: Parts) {
  return tagged("Members", [
    write("POST", "/v0/drives/:id/members", {
      operationId: "addMember",
      summary: "Share a drive",
      description:
        "Shares the drive with another user of this server, as a `reader` or an `editor`. All keys of that user's account then reach it, too. If the user is a member already, this sets the role. What an editor uploads counts for the owner. An editor copies files into other drives, and does not move them there: then the owner could not get them back. Only the owner can do this: signed in, or with an account key that they made themselves, not another key or an application. A member whom a key added goes with that key, when it is revoked or expires, and a reader whom a key made an editor is a reader again. It counts as a new key does for the rate limit. " +
        `A drive can have ${MEMBERS.drive} members. The owner gets 409.`,
      params: driveParams,
      body: Type.Object({ username: t.text("With whom to share.", "carl"), role: t.memberRole() }),
      example: { username: t.exampleOf(memberSchema).username, role: "editor" },
      audited: true,
      answers: [
        { status: 201, description: "The new member.", json: oneMember },
        { description: "The member, who was one already.", json: oneMember },
      ],
      errors: ["CONFLICT"],
      perform: async ({ params, body, caller }, reply) => {
        // Also if there is no such user: else it would tell quickly who is.
        keyThrottle.count(caller, "new members");
        return service.add(
          caller,
          params.id,
          body.username,
          body.role,
          reply.with(({ member, created }) => ({
            status: created ? 201 : 200,
            json: { data: memberRecord(member) },
          })),
        );
      },
    }),
    operation("GET", "/v0/drives/:id/members", {
      operationId: "listMembers",
      summary: "List members",
      description: "Returns with whom the drive is shared. A member sees only itself.",
      params: driveParams,
      answers: {
        description: "The members, in the order in which they were added.",
        json: t.pageOf(memberSchema, "Their number."),
      },
      handle: ({ params, caller }) => {
        const data = service.list(caller, params.id).map(memberRecord);
        return pageAnswer(data, data.length, null);
      },
    }),
    write("PATCH", "/v0/drives/:id/members/:user_id", {
      operationId: "updateMember",
      summary: "Change a member's role",
      description: "Applies to the member's next request.",
      params: memberParams,
      body: Type.Object({ role: t.memberRole() }),
      example: { role: "reader" },
      audited: true,
      answers: { description: "The member.", json: oneMember },
      perform: ({ params, body, caller }, reply) =>
        service.change(caller, params.id, params.user_id, body.role, reply.with(asData(memberRecord))),
    }),
    write("DELETE", "/v0/drives/:id/members/:user_id", {
      operationId: "removeMember",
      summary: "Remove a member",
      description:
        "Works at once: the next request of the member is refused, and links that it made stop working. What it uploaded stays. A member can remove itself.",
      params: memberParams,
      audited: true,
      answers: {
        description: "The user is no member any more.",
        json: Type.Object({
          data: Type.Object({ user_id: t.id("Who was removed."), removed: Type.Literal(true) }),
        }),
      },
      perform: ({ params, caller }, reply) =>
        service.remove(
          caller,
          params.id,
          params.user_id,
          reply.with((userId) => ({ json: { data: { user_id: userId, removed: true } } })),
        ),
    }),
  ]);
}
