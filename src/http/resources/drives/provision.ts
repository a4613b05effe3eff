import { Type } from "@sinclair/typebox";
import { parseDriveName } from "../../../domain/drives/drive.ts";
import { ANONYMOUS_KEY } from "../../../domain/idempotency.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Provisioned } from "../../../services/drives/drives.ts";
import { LINKS_BEGIN } from "../../gate/link-base.ts";
import { driveName, id, text, time } from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const exampleProvisioned = {
  api_key: "cof_1a2b3c4d...",
  key_id: "01976f5e-5d7a-7000-8000-5d1a2b4e6f3c",
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  drive_name: "Research Notes",
  claim_url: "https://drive.example.com/claim/clm_1a2b3c4d...",
  expires_at: "2030-03-02T12:00:00.000Z",
  message: "Save the API key: it is shown only now.",
};

/** Drives for agents without an account. */
export function provision({ drives, throttle, claimBase }: Parts) {
  return write("POST", "/v0/drives/provision", {
    operationId: "provisionDrive",
    tag: "Drives",
    public: true,
    summary: "Create a drive without an account",
    description:
      "Creates an unclaimed drive. It is deleted after 30 days unless a human opens `claim_url` and claims it. " +
      "It holds up to 100 MB. The key and the claim URL are secrets, shown only in this response. " +
      `${LINKS_BEGIN} ` +
      `To retry safely, send an \`Idempotency-Key\` of at least ${ANONYMOUS_KEY.characters} random characters, such as a new UUID; one that is easier to guess is refused with 400.`,
    body: Type.Object({ name: driveName() }),
    example: { name: exampleProvisioned.drive_name },
    answers: {
      status: 201,
      description: "The drive, its key and its claim URL.",
      json: Type.Object({
        data: Type.Object({
          api_key: text("Read-write, limited to this drive."),
          key_id: id("The key's identifier."),
          drive_id: id("The drive's identifier."),
          drive_name: Type.String(),
          claim_url: text("For a human; works once."),
          expires_at: time("When the drive is deleted, unless it is claimed."),
          message: Type.String(),
        }),
      }),
      example: { data: exampleProvisioned },
    },
    errors: ["FORBIDDEN"],
    perform: ({ body, context }, reply) => {
      throttle.requireOn();
      // Requests with an invalid name do not count.
      const name = parseDriveName("name", body.name);
      throttle.take(context);
      const base = claimBase(context);
      return drives.provision(
        name,
        reply.with((made) => ({ json: { data: provisionedRecord(made, base) } })),
      );
    },
  });
}

/** A new drive without an account, with its secrets. */
export function provisionedRecord(made: Provisioned, claimBase: string) {
  const expiresAt = formatInstant(made.expiresAt);
  return {
    api_key: made.apiKey,
    key_id: made.keyId,
    drive_id: made.driveId,
    drive_name: made.name,
    claim_url: `${claimBase}/claim/${made.claimToken}`,
    expires_at: expiresAt,
    message: `Save the API key: it is shown only now. Show claim_url to your human: unless it is claimed, the drive is deleted at ${expiresAt}.`,
  };
}
