import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { parseDriveName } from "../../domain/drive.ts";
import { CofferError } from "../../domain/errors.ts";
import { ANONYMOUS_KEY } from "../../domain/idempotency.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Drives, Provisioned } from "../../services/drives.ts";
import { rateLimited } from "../gate/errors.ts";
import { type LinkBase, LINKS_BEGIN } from "../gate/link-base.ts";
import { RateLimiter } from "../gate/rate-limiter.ts";
import { driveName, id, time } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

/** What the route that provisions drives needs. */
export interface ProvisionOptions {
  readonly drives: Drives;
  readonly clock: Clock;
  /** Whether drives can be created without an account. */
  readonly provisioning: boolean;
  /** Per client address. */
  readonly provisionsPerHour: number;
  /** Where humans go to claim a drive. */
  readonly claimBase: LinkBase;
}

const HOUR_SECONDS = 3600;

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
export function provision(options: ProvisionOptions) {
  const limiter = new RateLimiter({ clock: options.clock, windowSeconds: HOUR_SECONDS });
  const service = options.drives;
  return new Elysia({ name: "provision" }).post(
    ...write(
      "/v0/drives/provision",

      {
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
        answers: [
          {
            status: 201,
            description: "The drive, its key and its claim URL.",
            json: Type.Object({
              data: Type.Object({
                api_key: Type.String({ description: "Read-write, limited to this drive." }),
                key_id: id("The key's identifier."),
                drive_id: id("The drive's identifier."),
                drive_name: Type.String(),
                claim_url: Type.String({ description: "For a human; works once." }),
                expires_at: time("When the drive is deleted, unless it is claimed."),
                message: Type.String(),
              }),
            }),
            example: { data: exampleProvisioned },
          },
        ],
        errors: ["FORBIDDEN"],
      },
      ({ body, context }, reply) => {
        if (!options.provisioning) {
          throw new CofferError(
            "FORBIDDEN",
            "This server does not create drives without an account. Ask your human for an API key: people make keys on the dashboard, at /keys.",
          );
        }
        // Requests with an invalid name do not count.
        const name = parseDriveName("name", body.name);
        const state = limiter.take(context.client, options.provisionsPerHour);
        if (!state.allowed) {
          throw rateLimited(
            `At most ${state.limit} drives an hour from one address. Use a drive that you have, or try again in ${state.resetSeconds} s.`,
            state.resetSeconds,
          );
        }
        const claimBase = options.claimBase(context);
        return service.provision(
          name,
          reply.with((made) => ({
            status: 201,
            json: { data: provisionedRecord(made, claimBase) },
          })),
        );
      },
    ),
  );
}

function provisionedRecord(made: Provisioned, claimBase: string) {
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
