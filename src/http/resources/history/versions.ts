import { Type } from "@sinclair/typebox";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { tagged } from "../../operation/route.ts";
import { DIFF_BYTES, DIFF_TEXT_BYTES, MIB } from "../../../domain/limits.ts";
import { contentAnswer } from "../../content/answer.ts";
import { ETAG, IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { numberCursor } from "../../operation/cursor.ts";
import { fileOperation, fileWrite } from "../../operation/file-route.ts";
import { type VersionDiffRecord, versionDiffSchema, versionsSchema } from "../../records/history-schemas.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { versionRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { CONTENT, contentAnswers } from "../contents/downloads.ts";
import { fileAnswerOf } from "../files/files.ts";
import type { Parts } from "../parts.ts";
import { asJson } from "../../operation/write.ts";

const versionParams = Type.Object({ n: t.text("The number of the version.", "1") });

const labelledVersion = t.withExample(
  Type.Object({
    version: Type.Integer({ description: "The number of the version." }),
    label: t.nullableText("Its label; null for none."),
  }),
  { version: 1, label: "approved" },
);

function contentNumber(note: string) {
  return Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: `The number of a version, or of the content that the file has now. ${note}`,
  });
}

export function versions(parts: Parts) {
  const { versions: service, versionDiffs, files } = parts;
  return tagged("Versions", [
    fileOperation("GET", "/versions", {
      operationId: "listVersions",
      summary: "List versions",
      description:
        "Returns the contents that the file had before its present one, newest first. Uploads that replace the content, edits and restored versions make one; changes of the record alone make none. A key that is limited to a folder sees those that were made while the file was in there. They are kept for some days, and only so many of each file: see `GET /v0/account/usage` for the room that they take.",
      query: Type.Object({ limit: t.paging.limit, cursor: t.cursor() }),
      answers: { description: "A page of versions.", json: versionsSchema },
      handle: ({ query, caller }, file) => {
        const before = numberCursor.read(query.cursor);
        const found = service.list(caller, file, { limit: query.limit, before });
        return Response.json({
          data: found.versions.map(versionRecord),
          total: found.total,
          current_version: found.current.version,
          current_label: found.current.label,
          current_message: found.current.message,
          next_cursor: numberCursor.write(found.nextBefore),
        });
      },
    }),
    fileOperation("GET", "/versions/:n/download", {
      ...CONTENT,
      answers: contentAnswers(parts, false),
      operationId: "downloadVersion",
      summary: "Download a version",
      description:
        "Returns an earlier content of the file, as `GET /v0/files/{id}/download` does the present one. That one has a number too, the `current_version` of the list.",
      params: versionParams,
      handle: (input, ref) => {
        const { caller, params } = input;
        const file = service.fileAt(caller, ref, params.n);
        const mayGoOn = () => files.mayGoOn(caller, file);
        return contentAnswer(parts, input, file, { isForAnyPage: false, mayGoOn });
      },
    }),
    fileOperation("GET", "/diff", {
      operationId: "compareVersions",
      summary: "Compare versions",
      description: `Shows how the text of a file changed, as a unified diff of up to ${DIFF_BYTES / 1024} KiB. Texts of up to ${DIFF_TEXT_BYTES / MIB} MiB are compared, line by line; where they differ too much, all that differs is shown as one change.`,
      query: Type.Object({
        from: Type.Optional(contentNumber("Default: the newest version.")),
        to: Type.Optional(contentNumber("Default: the content that the file has now.")),
      }),
      answers: {
        description: "What changed.",
        json: versionDiffSchema,
        example: {
          from: 1,
          to: 2,
          diff: "--- a/notes/hello.txt\n+++ b/notes/hello.txt\n@@ -1,1 +1,1 @@\n-Hello!\n+Hello World!\n",
          diff_cut: false,
        },
      },
      errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED"],
      handle: async ({ query, caller, context }, file) => {
        const compared = { from: query.from, to: query.to };
        const { from, to, diff } = await versionDiffs.compare(caller, file, compared, context.client);
        return Response.json({ from, to, diff: diff.text, diff_cut: diff.isCut } satisfies VersionDiffRecord);
      },
    }),
    fileWrite("POST", "/versions/:n/restore", {
      operationId: "restoreVersion",
      summary: "Restore a version",
      description:
        "Gives the file this content and its type again. Path, tags, metadata and expiry stay. The content that it has now becomes a version, so this can be undone in the same way.",
      params: versionParams,
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      answers: { description: "The file's record.", json: fileSchema, headers: ETAG },
      perform: ({ request, params, caller }, file, reply) =>
        service.restore(caller, file, params.n, preconditionOf(request), reply.with(fileAnswerOf)),
    }),
    fileWrite("PUT", "/versions/:n/label", {
      operationId: "labelVersion",
      summary: "Label a version",
      description:
        "Gives a version a short name, such as `approved`: it has one at most, and another version of the file that has this name loses it. `n` may also be the `current_version`: its label stays with that content when another takes its place. A label does not change how long a version is kept: it goes with it.",
      params: versionParams,
      headers: CHANGE_MESSAGE,
      body: Type.Object({ label: t.text("1 to 64 characters after trimming.", "approved") }),
      example: { label: "approved" },
      answers: { description: "The version's label.", json: labelledVersion },
      perform: ({ params, body, caller }, file, reply) =>
        service.label(caller, file, params.n, body.label, reply.with(asJson((version) => version))),
    }),
    fileWrite("DELETE", "/versions/:n/label", {
      operationId: "unlabelVersion",
      summary: "Remove the label of a version",
      description: "Removes the label alone. A version without one stays as it is.",
      params: versionParams,
      headers: CHANGE_MESSAGE,
      answers: { description: "The version, without a label.", json: labelledVersion },
      perform: ({ params, caller }, file, reply) =>
        service.label(caller, file, params.n, null, reply.with(asJson((version) => version))),
    }),
    fileWrite("DELETE", "/versions/:n", {
      operationId: "deleteVersion",
      summary: "Delete a version",
      description: "Removes an earlier content for good. The file stays as it is.",
      params: versionParams,
      audited: true,
      answers: {
        description: "The version is deleted.",
        json: Type.Object({
          version: Type.Integer({ description: "The number of the deleted version." }),
          deleted: Type.Literal(true),
        }),
      },
      perform: ({ params, caller }, file, reply) =>
        service.remove(caller, file, params.n, reply.with(asJson((version) => ({ version, deleted: true })))),
    }),
  ]);
}
