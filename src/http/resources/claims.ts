import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Drive } from "../../domain/drive.ts";
import type { Claims } from "../../services/claims.ts";
import { exampleDrive } from "../operation/examples.ts";
import { operation } from "../operation/operation.ts";
import { type ClaimableRecord, claimableSchema, driveSchema } from "../operation/record-schemas.ts";
import { driveRecord } from "../operation/records.ts";
import { write } from "../operation/write.ts";

const exampleClaimable = {
  name: "Research Notes",
  file_count: 2,
  total_size: 4096,
  expires_at: "2030-03-02T12:00:00.000Z",
  created_at: "2030-01-31T12:00:00.000Z",
};

/** What a claim link shows to whoever has it; not the drive's id, which is for its callers. */
function claimableRecord(drive: Drive): ClaimableRecord {
  const { name, file_count, total_size, expires_at, created_at } = driveRecord(drive);
  return { name, file_count, total_size, expires_at, created_at };
}

/** How a user makes an agent's drive their own. */
export function claims(service: Claims) {
  return new Elysia({ name: "claims" })
    .get(
      ...operation(
        "/v0/drives/claim/:token",

        {
          operationId: "previewClaim",
          tag: "Drives",
          public: true,
          summary: "See what a claim link is for",
          description:
            "Needs no key: the token is enough. A drive that is claimed already gives 409, one that nobody claimed in time 410.",
          params: Type.Object({
            token: Type.String({
              description: "The last part of the claim URL.",
              examples: ["clm_1a2b3c4d"],
            }),
          }),
          answers: [
            {
              status: 200,
              description: "The drive that can be claimed.",
              json: Type.Object({ data: claimableSchema }),
              example: { data: exampleClaimable },
            },
          ],
          errors: ["NOT_FOUND", "CONFLICT", "GONE"],
        },
        ({ params }) => Response.json({ data: claimableRecord(service.preview(params.token)) }),
      ),
    )
    .post(
      ...write(
        "/v0/drives/claim",

        {
          operationId: "claimDrive",
          tag: "Drives",
          summary: "Make an agent's drive yours",
          description:
            "Needs an account key, or someone signed in. The drive stays for good, gets its slug, and counts for the account's storage; its agent's keys go on working. Of many claims one wins: the others get 409. A drive that nobody claimed in time gives 410, a claim that the account has no room for `QUOTA_EXCEEDED`.",
          account: true,
          body: Type.Object({
            token: Type.String({
              description: "The last part of the claim URL.",
              examples: ["clm_1a2b3c4d"],
            }),
          }),
          example: { token: "clm_1a2b3c4d" },
          answers: [
            {
              status: 200,
              description: "The drive.",
              json: Type.Object({ data: driveSchema }),
              example: { data: exampleDrive },
            },
          ],
          errors: ["NOT_FOUND", "CONFLICT", "GONE", "QUOTA_EXCEEDED"],
        },
        ({ body, caller }, reply) =>
          service.claim(
            caller,
            body.token,
            reply.with((drive) => ({ json: { data: driveRecord(drive) } })),
          ),
      ),
    );
}
