import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Claims } from "../services/claims.ts";
import { exampleDrive } from "./drives.ts";
import { operation } from "./operation.ts";
import { driveRecord, driveSchema } from "./records.ts";

export function claims(service: Claims) {
  return new Elysia({ name: "claims" }).post(
    ...operation(
      "/v0/drives/claim",

      {
        operationId: "claimDrive",
        tag: "Drives",
        summary: "Make an agent's drive yours",
        description:
          "Needs an account key, or someone signed in. The drive stays for good, gets its slug, and counts for the account's storage; its agent's keys go on working. Of many claims one wins: the others get 409. A drive that nobody claimed in time gives 410, a claim that the account has no room for `QUOTA_EXCEEDED`.",
        account: true,
        body: Type.Object({
          token: Type.String({ description: "The last part of the claim URL.", examples: ["clm_1a2b3c4d"] }),
        }),
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
      async ({ body, caller, reply }) => {
        await service.claim(
          caller,
          body.token,
          reply.with((drive) => ({ json: { data: driveRecord(drive) } })),
        );
        return reply.response();
      },
    ),
  );
}
