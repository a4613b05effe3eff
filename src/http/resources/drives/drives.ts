import { Type } from "@sinclair/typebox";
import { operation, tagged } from "../../operation/route.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { driveRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { asData, deletedRecord, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";
import { parseName } from "../../../domain/contents/texts/text.ts";
import { ANONYMOUS_KEY } from "../../../domain/idempotency.ts";
import { isLoopback } from "../../../domain/network/loopback.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Provisioned } from "../../../services/drives/drives.ts";
import { LINKS_BEGIN } from "../../gate/link-base.ts";

const driveDescription = t.text("At most 1,024 characters.");
const driveParams = Type.Object({ id: t.driveRef() });
const oneDrive = Type.Object({ data: driveSchema });

export function drives({ drives: service }: Parts) {
  return tagged("Drives", [
    write("POST", "/v0/drives", {
      operationId: "createDrive",
      summary: "Create a drive",
      description:
        "Creates a drive in your account. Needs an account key or a session. The slug is made from the username and the name, with a number if it is taken.",
      account: true,
      body: Type.Object({ name: t.driveName(), description: Type.Optional(driveDescription) }),
      example: { name: t.exampleOf(driveSchema).name },
      answers: { status: 201, description: "The new drive.", json: oneDrive },
      perform: ({ body, caller }, reply) =>
        service.create(caller, body.name, body.description ?? "", reply.with(asData(driveRecord))),
    }),
    operation("GET", "/v0/drives", {
      operationId: "listDrives",
      summary: "List drives",
      description:
        "Returns the drives of the account, then those that others share with it; with a key that is limited to one drive, only that drive.",
      query: Type.Object({
        slug: t.optionalText("Only the drive with this slug. If there is none, the list is empty."),
      }),
      answers: {
        description: "The drives: the own ones, then the shared ones, each oldest first.",
        json: Type.Object({ data: Type.Array(driveSchema) }),
      },
      handle: ({ query, caller }) =>
        Response.json({ data: service.list(caller, query.slug ?? null).map(driveRecord) }),
    }),
    operation("GET", "/v0/drives/:id", {
      operationId: "getDrive",
      summary: "Get a drive",
      params: driveParams,
      answers: { description: "The drive.", json: oneDrive },
      handle: ({ params, caller }) => Response.json({ data: driveRecord(service.get(caller, params.id)) }),
    }),
    write("PATCH", "/v0/drives/:id", {
      operationId: "updateDrive",
      summary: "Update a drive",
      description:
        "Changes the name or description; omitted fields stay. A new name changes the slug too, with a number if it is taken, and the old slug stops working. The id stays. Only the owner can do this, and keys of the whole drive.",
      params: driveParams,
      body: Type.Object({ name: Type.Optional(t.driveName()), description: Type.Optional(driveDescription) }),
      example: { description: "What the night shift found." },
      answers: { description: "The drive.", json: oneDrive },
      perform: ({ params, body, caller }, reply) =>
        service.update(
          caller,
          params.id,
          { name: body.name, description: body.description },
          reply.with(asData(driveRecord)),
        ),
    }),
    write("DELETE", "/v0/drives/:id", {
      operationId: "deleteDrive",
      summary: "Delete a drive",
      description:
        "Deletes the drive at once, with all that it holds and keeps: files, versions, trash and snapshots, its keys, links, members and claim link. This cannot be undone. Only the owner can do this, and keys of the whole drive.",
      params: driveParams,
      audited: true,
      answers: {
        description: "The drive is deleted.",
        json: Type.Object({
          data: t.deletedOf("The deleted drive."),
        }),
      },
      perform: ({ params, caller }, reply) =>
        service.remove(caller, params.id, reply.with(asData(deletedRecord))),
    }),
  ]);
}

const exampleProvisioned = {
  api_key: "cof_1a2b3c4d...",
  key_id: "01976f5e-5d7a-7000-8000-5d1a2b4e6f3c",
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  drive_name: "Research Notes",
  claim_url: "https://drive.example.com/claim/clm_1a2b3c4d...",
  expires_at: "2030-03-02T12:00:00.000Z",
  message: "Save the API key: it is shown only now.",
};

export function provision({ drives: service, throttle, claimBase }: Parts) {
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
    body: Type.Object({ name: t.driveName() }),
    example: { name: exampleProvisioned.drive_name },
    answers: {
      status: 201,
      description: "The drive, its key and its claim URL.",
      json: Type.Object({
        data: Type.Object({
          api_key: t.text("Read-write, limited to this drive."),
          key_id: t.id("The key's identifier."),
          drive_id: t.id("The drive's identifier."),
          drive_name: Type.String(),
          claim_url: t.text("For a human; works once."),
          expires_at: t.time("When the drive is deleted, unless it is claimed."),
          message: Type.String(),
        }),
      }),
      example: { data: exampleProvisioned },
    },
    errors: ["FORBIDDEN"],
    perform: ({ body, context }, reply) => {
      throttle.requireOn();
      // Requests with an invalid name do not count.
      const name = parseName("name", body.name);
      throttle.take(context);
      const base = claimBase(context);
      return service.provision(name, reply.with(asData((made) => provisionedRecord(made, base))));
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
    message: `Save the API key: it is shown only now. ${claimAdvice(claimBase, expiresAt)}`,
  };
}

/** What an agent does with a claim link. */
export function claimAdvice(claimBase: string, expiresAt: string): string {
  const advice = `Show claim_url to your human: unless it is claimed, the drive is deleted at ${expiresAt}.`;
  if (!isLoopback(new URL(claimBase).hostname)) return advice;
  return `${advice} The link opens on this machine only: if your human's browser is on another, put an address that leads here in place of ${claimBase}.`;
}
