import { Type } from "@sinclair/typebox";
import type { Drive } from "../../../domain/drives/drive.ts";
import { formatInstant } from "../../../domain/time.ts";
import { operation, tagged } from "../../operation/route.ts";
import { type ClaimableRecord, claimableSchema, driveSchema } from "../../records/record-schemas.ts";
import { driveRecord } from "../../records/records.ts";
import { asData, write } from "../../operation/write.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

/** What a claim link shows. Not the drive's id, which only its callers may know. */
function claimableRecord(drive: Drive): ClaimableRecord {
  return {
    name: drive.name,
    file_count: drive.fileCount,
    total_size: drive.totalSize,
    expires_at: drive.expiresAt === null ? null : formatInstant(drive.expiresAt),
    created_at: formatInstant(drive.createdAt),
  };
}

const claimToken = Type.Object({ token: t.text("The last part of the claim URL.", "clm_1a2b3c4d") });

export function claims({ claims: service }: Parts) {
  return tagged("Drives", [
    operation("GET", "/v0/drives/claim/:token", {
      operationId: "previewClaim",
      public: true,
      summary: "Preview a claim",
      description:
        "Needs no key: the token is enough. Returns 409 if the drive is already claimed, and 410 if the claim has expired; 404 a year after that.",
      params: claimToken,
      answers: {
        description: "The drive that can be claimed.",
        json: Type.Object({ data: claimableSchema }),
      },
      errors: ["CONFLICT", "GONE"],
      handle: ({ params }) => Response.json({ data: claimableRecord(service.preview(params.token)) }),
    }),
    write("POST", "/v0/drives/claim", {
      operationId: "claimDrive",
      summary: "Claim a drive",
      description:
        "Makes an agent's drive yours. Needs a session, or an account key that a person made: an application's does not claim, since the drive's keys keep working when the application is revoked. The drive no longer expires, gets a slug, and counts for the account's storage; its agent's keys keep working. Only the first claim succeeds: others get 409. Returns 410 if the claim has expired, and `QUOTA_EXCEEDED` if the account has too little space.",
      person: true,
      body: claimToken,
      example: { token: "clm_1a2b3c4d" },
      audited: true,
      answers: { description: "The drive.", json: Type.Object({ data: driveSchema }) },
      errors: ["NOT_FOUND", "CONFLICT", "GONE"],
      perform: ({ body, caller }, reply) =>
        service.claim(caller, body.token, reply.with(asData(driveRecord))),
    }),
  ]);
}
