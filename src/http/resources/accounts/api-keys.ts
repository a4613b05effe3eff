import { Type } from "@sinclair/typebox";
import { KEYS, REQUESTS_PER_NEW_KEY } from "../../../domain/limits.ts";
import { operation, tagged } from "../../operation/route.ts";
import { createdKeySchema, keyDetailSchema, keySchema } from "../../records/record-schemas.ts";
import { keyRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { asJson, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const keyParams = Type.Object({ id: t.id("The key's identifier.") });

export function apiKeys({ apiKeys: service, keyThrottle }: Parts) {
  return tagged("Keys", [
    write("POST", "/v0/keys", {
      operationId: "createKey",
      summary: "Create a key",
      description:
        "Without a body, a read-write key is created. The key can access what the caller can access or, with `drive_id`, only that drive, which you must own; with `path_prefix`, only that folder of it. Its secret is shown only in this response. A key that expires can create only keys that expire with it or earlier, and goes with the key that creates it: whoever revokes that revokes both. The keys of applications, and account keys that a key made, can create none (403).\n\n" +
        `A drive can have ${KEYS.drive} keys, and an account ${KEYS.account} in addition to those of its drives; above that, 403 \`QUOTA_EXCEEDED\` is returned until some are revoked. An account or unclaimed drive can create one key a minute for every ${REQUESTS_PER_NEW_KEY} requests a minute that one key is allowed, and at least one; above that, 429 is returned.`,
      bodyOptional: true,
      body: Type.Object({
        name: t.optionalText("A label, at most 64 characters."),
        scope: Type.Optional(t.scope("Default `read-write`. A read-only key can only use GET and HEAD.")),
        drive_id: Type.Optional(t.driveRef("Limits the key to this drive.")),
        path_prefix: Type.Optional(
          t.nullableText(
            "A folder of the drive that the key is limited to, such as `notes/`; it need not exist yet. The key sees and changes what is in it, and nothing else of the drive.",
            "notes/",
          ),
        ),
        expires_at: Type.Optional(
          t.nullable(
            t.timeInput(
              "When the key expires; null for never. A key made by one that expires expires with it or earlier",
            ),
          ),
        ),
      }),
      example: { name: t.exampleOf(keySchema).name },
      audited: true,
      answers: { status: 201, description: "The key, with its secret.", json: createdKeySchema },
      perform: ({ body, caller }, reply) =>
        keyThrottle.attempt(caller, () =>
          service.create(
            caller,
            {
              name: body.name ?? "",
              scope: body.scope ?? "read-write",
              driveId: body.drive_id,
              pathPrefix: body.path_prefix ?? undefined,
              expiresAt: body.expires_at ?? null,
            },
            reply.with(({ key, secret }) => ({ json: { ...keyRecord(key), key: secret } })),
          ),
        ),
    }),
    operation("GET", "/v0/keys", {
      operationId: "listKeys",
      summary: "List keys",
      description:
        "Returns the keys of the account and its drives; with a key that is limited to one drive, only the keys of that drive, or of the folder that it is limited to. The key of an application, and an account key that another key made, see themselves alone.",
      answers: { description: "The keys, oldest first.", json: Type.Array(keySchema) },
      handle: ({ caller }) => Response.json(service.list(caller).map(keyRecord)),
    }),
    operation("GET", "/v0/keys/:id", {
      operationId: "getKey",
      summary: "Get a key",
      description: "Returns a key of the list, and how much it made: that goes with it.",
      params: keyParams,
      answers: { description: "The key.", json: keyDetailSchema },
      handle: ({ params: { id: key }, caller }) => {
        const found = service.get(caller, key);
        return Response.json({ ...keyRecord(found.key), made: found.made });
      },
    }),
    write("DELETE", "/v0/keys/:id", {
      operationId: "revokeKey",
      summary: "Revoke a key",
      description:
        "Works at once: the next request with the key is refused. What it made goes with it: keys, and what these made, links, webhooks, and members of drives. Any key can revoke itself, and a key of one drive also the keys that it made.",
      params: keyParams,
      audited: true,
      answers: {
        description: "The key is revoked.",
        json: Type.Object({ id: t.id("The revoked key."), revoked: Type.Literal(true) }),
      },
      perform: ({ params, caller }, reply) =>
        service.revoke(caller, params.id, reply.with(asJson((keyId) => ({ id: keyId, revoked: true })))),
    }),
  ]);
}
