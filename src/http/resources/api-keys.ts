import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import type { Plan } from "../../domain/plan.ts";
import { KEYS, REQUESTS_PER_NEW_KEY } from "../../domain/limits.ts";
import type { ApiKeys } from "../../services/api-keys.ts";
import { NewKeyThrottle } from "../gate/new-key-throttle.ts";
import { operation } from "../operation/operation.ts";
import { createdKeySchema, keySchema } from "../operation/record-schemas.ts";
import { keyRecord } from "../operation/records.ts";
import { driveRef, id, scope } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

const exampleKey = {
  id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  key_prefix: "cof_sk_live_1a2b",
  name: "Night shift",
  scope: "read-write",
  drive_id: null,
  created_at: "2030-01-31T12:00:00.000Z",
  last_used_at: null,
};

/** What keys are made with. */
export interface ApiKeyOptions {
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
}

/** Keys: made, listed and revoked. */
export function apiKeys({ apiKeys: service, clock, rateLimits }: ApiKeyOptions) {
  const throttle = new NewKeyThrottle(clock, rateLimits);
  return new Elysia({ name: "api-keys" })
    .post(
      ...write(
        "/v0/keys",

        {
          operationId: "createKey",
          tag: "Keys",
          summary: "Create a key",
          description:
            "It reaches what your own key reaches, or only `drive_id`. The secret is shown here and never again. `name` and `scope` may be left out.\n\n" +
            `There may be ${KEYS.drive} keys for one drive, and ${KEYS.account} for an account beside those for its drives; one more is 403 \`QUOTA_EXCEEDED\` until some are revoked. An account, or an unclaimed drive, may make one key a minute for every ${REQUESTS_PER_NEW_KEY} requests a minute that one of its keys may make, and one at least; one more is 429.`,
          body: Type.Object({
            name: Type.Optional(Type.String({ description: "A label of at most 64 characters." })),
            scope: Type.Optional(scope("Default `read-write`. A read-only key can only use GET.")),
            drive_id: Type.Optional(driveRef()),
          }),
          example: { name: exampleKey.name },
          answers: [
            {
              status: 201,
              description: "The key with its secret.",
              json: createdKeySchema,
              example: { ...exampleKey, key: "cof_sk_live_1a2b..." },
            },
          ],
          errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
        },
        ({ body, caller }, reply) =>
          throttle.attempt(caller, () =>
            service.create(
              caller,
              { name: body.name ?? "", scope: body.scope ?? "read-write", driveId: body.drive_id },
              reply.with(({ key, secret }) => ({ status: 201, json: { ...keyRecord(key), key: secret } })),
            ),
          ),
      ),
    )
    .get(
      ...operation(
        "/v0/keys",

        {
          operationId: "listKeys",
          tag: "Keys",
          summary: "List keys",
          description:
            "An account's keys and those of its drives; for a drive's key, the keys of that drive.",
          answers: [
            {
              status: 200,
              description: "The keys, oldest first.",
              json: Type.Array(keySchema),
              example: [exampleKey],
            },
          ],
        },
        ({ caller }) => Response.json(service.list(caller).map(keyRecord)),
      ),
    )
    .delete(
      ...write(
        "/v0/keys/:id",

        {
          operationId: "revokeKey",
          tag: "Keys",
          summary: "Revoke a key",
          description: "At once: the next request with it is refused. A key may revoke itself.",
          params: Type.Object({ id: id("The key's identifier.") }),
          answers: [
            {
              status: 200,
              description: "It is revoked.",
              json: Type.Object({ id: id("The key that was revoked."), revoked: Type.Literal(true) }),
            },
          ],
          errors: ["NOT_FOUND"],
        },
        ({ params, caller }, reply) =>
          service.revoke(
            caller,
            params.id,
            reply.with((keyId) => ({ json: { id: keyId, revoked: true } })),
          ),
      ),
    );
}
