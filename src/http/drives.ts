import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import { parseDriveName } from "../domain/drive.ts";
import { CofferError } from "../domain/errors.ts";
import { formatInstant } from "../domain/time.ts";
import type { Drives, Provisioned } from "../services/drives.ts";
import { rateLimited } from "./errors.ts";
import { operation } from "./operation.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { driveRecord, driveSchema } from "./records.ts";
import { driveRef, id, time } from "./schema.ts";

export interface DriveRoutes {
  readonly drives: Drives;
  readonly clock: Clock;
  /** Whether drives may be made without an account. */
  readonly provisioning: boolean;
  /** Per client address. */
  readonly provisionsPerHour: number;
  /** Where humans go to claim a drive, without a trailing slash; known once the server listens. */
  readonly claimBaseUrl: () => string;
}

const HOUR_SECONDS = 3600;
const MAX_CLIENTS = 100_000;

/** A drive's record as the API description shows it. */
export const exampleDrive = {
  id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  user_id: "01976f5e-0a11-7000-8000-9f2e4d6c8b0a",
  name: "Research Notes",
  slug: "ada/research-notes",
  description: "",
  file_count: 2,
  total_size: 4096,
  expires_at: null,
  created_at: "2030-01-31T12:00:00.000Z",
  updated_at: "2030-01-31T12:00:00.000Z",
};

const exampleProvisioned = {
  api_key: "cof_1a2b3c4d...",
  key_id: "01976f5e-5d7a-7000-8000-5d1a2b4e6f3c",
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  drive_name: "Research Notes",
  claim_url: "https://drive.example.com/claim/clm_1a2b3c4d...",
  expires_at: "2030-03-02T12:00:00.000Z",
  message: "Keep the API key: it is shown only now.",
};

const driveName = Type.String({
  description: "1 to 64 characters after trimming.",
  examples: ["Research Notes"],
});
const driveDescription = Type.String({ description: "At most 1,024 characters." });
const driveParams = Type.Object({ id: driveRef() });
const oneDrive = Type.Object({ data: driveSchema });

export function drives(options: DriveRoutes) {
  const limiter = new RateLimiter({
    clock: options.clock,
    windowSeconds: HOUR_SECONDS,
    capacity: MAX_CLIENTS,
  });
  const service = options.drives;
  return new Elysia({ name: "drives" })
    .post(
      ...operation(
        "/v0/drives/provision",

        {
          operationId: "provisionDrive",
          tag: "Drives",
          summary: "Get a drive without an account",
          description:
            "Makes an unclaimed drive that is deleted after 30 days unless a human follows `claim_url` and claims it. " +
            "It holds up to 100 MB. Both secrets, the key and the claim URL, are shown only here.",
          body: Type.Object({ name: driveName }),
          answers: [
            {
              status: 201,
              description: "The drive, its key and its claim URL.",
              json: Type.Object({
                data: Type.Object({
                  api_key: Type.String({ description: "Read-write, for this drive alone." }),
                  key_id: id("The key's identifier."),
                  drive_id: id("The drive's identifier."),
                  drive_name: Type.String(),
                  claim_url: Type.String({ description: "For a human; works once." }),
                  expires_at: time("When the drive is deleted unless it is claimed."),
                  message: Type.String(),
                }),
              }),
              example: { data: exampleProvisioned },
            },
          ],
          errors: ["FORBIDDEN"],
        },
        async ({ body, context, reply }) => {
          if (!options.provisioning) {
            throw new CofferError("FORBIDDEN", "This server does not make drives without an account.");
          }
          // What is refused for its name does not count.
          const name = parseDriveName("name", body.name);
          const state = limiter.take(context.client, options.provisionsPerHour);
          if (!state.allowed) {
            throw rateLimited(`At most ${state.limit} drives an hour from one address.`, state.resetSeconds);
          }
          await service.provision(
            name,
            reply.with((made) => ({
              status: 201,
              json: { data: provisionedRecord(made, options.claimBaseUrl()) },
            })),
          );
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/drives",

        {
          operationId: "createDrive",
          tag: "Drives",
          summary: "Create a drive in your account",
          description:
            "Needs an account key. The slug is made from the username and the name, numbered on a clash.",
          account: true,
          body: Type.Object({
            name: driveName,
            description: Type.Optional(driveDescription),
          }),
          answers: [
            { status: 201, description: "The new drive.", json: oneDrive, example: { data: exampleDrive } },
          ],
        },
        async ({ body, caller, reply }) => {
          await service.create(
            caller,
            body.name,
            body.description ?? "",
            reply.with((drive) => ({ status: 201, json: { data: driveRecord(drive) } })),
          );
          return reply.response();
        },
      ),
    )
    .get(
      ...operation(
        "/v0/drives",

        {
          operationId: "listDrives",
          tag: "Drives",
          summary: "List the drives you can see",
          description: "An account key sees its user's drives, a drive's key that drive.",
          query: Type.Object({
            slug: Type.Optional(
              Type.String({ description: "Only the drive with this slug; none gives an empty list." }),
            ),
          }),
          answers: [
            {
              status: 200,
              description: "The drives, oldest first.",
              json: Type.Object({ data: Type.Array(driveSchema) }),
              example: { data: [exampleDrive] },
            },
          ],
        },
        ({ query, caller }) =>
          Response.json({ data: service.list(caller, query.slug ?? null).map(driveRecord) }),
      ),
    )
    .get(
      ...operation(
        "/v0/drives/:id",

        {
          operationId: "getDrive",
          tag: "Drives",
          summary: "Get a drive",
          params: driveParams,
          answers: [
            { status: 200, description: "The drive.", json: oneDrive, example: { data: exampleDrive } },
          ],
          errors: ["NOT_FOUND"],
        },
        ({ params, caller }) => Response.json({ data: driveRecord(service.get(caller, params.id)) }),
      ),
    )
    .patch(
      ...operation(
        "/v0/drives/:id",

        {
          operationId: "updateDrive",
          tag: "Drives",
          summary: "Rename or describe a drive",
          description:
            "Fields left out stay as they are. The slug follows the name, numbered on a clash, so addresses with the old slug end; the id stays. For whoever may write to the drive.",
          params: driveParams,
          body: Type.Object({
            name: Type.Optional(driveName),
            description: Type.Optional(driveDescription),
          }),
          answers: [
            { status: 200, description: "The drive.", json: oneDrive, example: { data: exampleDrive } },
          ],
          errors: ["NOT_FOUND", "STORAGE_FULL"],
        },
        async ({ params, body, caller, reply }) => {
          await service.update(
            caller,
            params.id,
            { name: body.name, description: body.description },
            reply.with((drive) => ({ json: { data: driveRecord(drive) } })),
          );
          return reply.response();
        },
      ),
    )
    .delete(
      ...operation(
        "/v0/drives/:id",

        {
          operationId: "deleteDrive",
          tag: "Drives",
          summary: "Delete a drive with everything in it",
          description: "At once and for good: its files, folders, keys and claim tokens go with it.",
          params: driveParams,
          answers: [
            {
              status: 200,
              description: "It is gone.",
              json: Type.Object({
                data: Type.Object({ id: id("The drive that was deleted."), deleted: Type.Literal(true) }),
              }),
            },
          ],
          errors: ["NOT_FOUND"],
        },
        async ({ params, caller, reply }) => {
          await service.remove(
            caller,
            params.id,
            reply.with((driveId) => ({ json: { data: { id: driveId, deleted: true } } })),
          );
          return reply.response();
        },
      ),
    );
}

function provisionedRecord(made: Provisioned, claimBaseUrl: string) {
  const expiresAt = formatInstant(made.expiresAt);
  return {
    api_key: made.apiKey,
    key_id: made.keyId,
    drive_id: made.driveId,
    drive_name: made.name,
    claim_url: `${claimBaseUrl}/claim/${made.claimToken}`,
    expires_at: expiresAt,
    message: `Keep the API key: it is shown only now. Show claim_url to your human; without a claim the drive is deleted at ${expiresAt}.`,
  };
}
