import { Type } from "@sinclair/typebox";
import { FORK_FILES } from "../../../domain/limits.ts";
import type { Forks } from "../../../services/snapshots/forks.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { driveRecord } from "../../records/records.ts";
import { driveName, driveRef, id } from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";

/** New drives that are made of others. */
export function forks(service: Forks) {
  return [
    write("POST", "/v0/drives/:id/fork", {
      operationId: "forkDrive",
      tag: "Snapshots",
      summary: "Fork a drive",
      description: `Creates a drive in your account with all files and folders that this one holds, or held when a snapshot was taken. Contents are not stored twice, but count as storage. The files get new ids; their times, tags and metadata stay. The new drive has no versions, trash, snapshots, keys, members or links. It is not seen before it is whole; if the server stops before the end, there is none. At most ${FORK_FILES} files. Needs an account key or a session.`,
      account: true,
      params: Type.Object({ id: driveRef() }),
      body: Type.Object({
        name: driveName(),
        snapshot_id: Type.Optional(id("A snapshot of the drive. Default: what it holds now.")),
      }),
      example: { name: "Research Notes, tried out" },
      answers: [
        {
          status: 201,
          description: "The new drive.",
          json: Type.Object({ data: driveSchema }),
        },
      ],
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ params, body, caller }, reply) =>
        service.create(
          caller,
          params.id,
          { name: body.name, snapshot: body.snapshot_id },
          reply.with((drive) => ({ status: 201, json: { data: driveRecord(drive) } })),
        ),
    }),
  ];
}
