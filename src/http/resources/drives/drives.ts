import { Type } from "@sinclair/typebox";
import { operation, tagged } from "../../operation/route.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { driveRecord } from "../../records/records.ts";
import { deletedOf, driveName, driveRef, exampleOf, optionalText, text } from "../../operation/schema.ts";
import { asData, deletedRecord, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const driveDescription = text("At most 1,024 characters.");
const driveParams = Type.Object({ id: driveRef() });
const oneDrive = Type.Object({ data: driveSchema });

/** Drives. Those without an account are created in `provision.ts`. */
export function drives({ drives: service }: Parts) {
  return tagged("Drives", [
    write("POST", "/v0/drives", {
      operationId: "createDrive",
      summary: "Create a drive",
      description:
        "Creates a drive in your account. Needs an account key or a session. The slug is made from the username and the name, with a number if it is taken.",
      account: true,
      body: Type.Object({ name: driveName(), description: Type.Optional(driveDescription) }),
      example: { name: exampleOf(driveSchema).name },
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
        slug: optionalText("Only the drive with this slug. If there is none, the list is empty."),
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
      body: Type.Object({ name: Type.Optional(driveName()), description: Type.Optional(driveDescription) }),
      example: { description: "What the night shift found." },
      answers: { description: "The drive.", json: oneDrive },
      errors: ["STORAGE_FULL"],
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
      answers: {
        description: "The drive is deleted.",
        json: Type.Object({
          data: deletedOf("The deleted drive."),
        }),
      },
      perform: ({ params, caller }, reply) =>
        service.remove(caller, params.id, reply.with(asData(deletedRecord))),
    }),
  ]);
}
