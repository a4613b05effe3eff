import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { CofferError, invalid } from "../../../domain/errors.ts";
import { Glob } from "../../../domain/files/glob.ts";
import { MANY_PATHS } from "../../../domain/limits.ts";
import type { Destination } from "../../../services/files/files.ts";
import type { ManyPaths, Named, Outcome } from "../../../services/files/many-paths.ts";
import type { TransferredPath } from "../../../services/files/paths.ts";
import { IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { TEXT_BODY } from "../../json/json-body.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { type Input, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { type Reply, write } from "../../operation/write.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import type { Parts } from "../parts.ts";
import { onConflict } from "./files.ts";
import { globParameter } from "./listings.ts";
import { anyPath, foundRecord, foundSchema } from "./paths.ts";

function names(description: string) {
  const most = MANY_PATHS.named;
  return t.optionalTexts({
    minItems: 1,
    maxItems: most,
    description: `${description}, instead of \`path\`; at most ${most}.`,
  });
}

const body = Type.Object({
  drive_id: Type.Optional(t.driveRef("May be left out with `file_ids`.")),
  path: Type.Optional(anyPath),
  paths: names("Several files and folders"),
  file_ids: names("Several files by their ids"),
  glob: globParameter("the drive's root, instead of `path`"),
  destination_path: t.text(
    "The new path. If it ends with `/`, it is the folder into which several go, a file, or a folder that was named without its own `/`: they keep their names.",
    "archive/",
  ),
  destination_drive_id: Type.Optional(t.driveRef("Default: the same drive.")),
  on_conflict: onConflict,
});

/** How many characters an error has beside the name that it is about. */
const ERROR_CHARACTERS = 200;

type Body = Static<typeof body>;

/** What is to be copied or moved, in a body. */
type Sent = Pick<Body, "drive_id" | "path" | "paths" | "file_ids" | "glob">;

const outcomesSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      path: t.text("As it was named: a path, or the id of a file."),
      status: t.oneOf(["done", "skipped", "failed"]),
      to: t.optionalText("Where it is now, or its copy."),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
    { description: "In the order in which they were named; of a pattern in path order." },
  ),
  done: t.count("How many were copied or moved."),
  skipped: t.count("How many stayed, because their new places are taken."),
  failed: t.count("How many could not be copied or moved."),
  batch_id: t.nullableId("All of it, to undo it with `POST /v0/undo`; null if nothing was done."),
});

type OutcomesRecord = t.RecordOf<typeof outcomesSchema>;

const oneAnswer = Type.Union([
  foundSchema,
  Type.Intersect([foundSchema, Type.Object({ skipped: Type.Literal(true) })]),
  outcomesSchema,
]);

export function pathTransfers(parts: Parts) {
  return tagged("Paths", [
    write("POST", "/v0/paths/move", {
      operationId: "movePath",
      summary: "Move files and folders",
      description: `Moves what is at \`path\`, a file or a folder with all it holds, within its drive or to another drive of yours. Or moves up to ${MANY_PATHS.named} that \`paths\`, \`file_ids\` or \`glob\` name into one folder, each with an outcome of its own: what fails stops no other. Ids stay, unless the drive changes. ${ANSWER}`,
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      bodyLimits: TEXT_BODY,
      body,
      example: exampleTo("archive/"),
      answers: { description: DESCRIPTION, json: oneAnswer, example: t.exampleOf(foundSchema) },
      errors: ["CONFLICT"],
      perform: (input, reply) => transfer(parts, "move", input, reply),
    }),
    write("POST", "/v0/paths/copy", {
      operationId: "copyPath",
      summary: "Copy files and folders",
      description: `Like \`POST /v0/paths/move\`, for copies. They have new ids and no expiry; tags and metadata are copied. Contents are not stored twice, but copies count for the storage limit. ${ANSWER}`,
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      bodyLimits: TEXT_BODY,
      body,
      example: exampleTo("copies/"),
      answers: { description: DESCRIPTION, json: oneAnswer, example: t.exampleOf(foundSchema) },
      errors: ["CONFLICT"],
      perform: (input, reply) => transfer(parts, "copy", input, reply),
    }),
  ]);
}

const DESCRIPTION = "The record of what was named by `path`; the outcomes of several.";
const ANSWER =
  "A `path` that stays, because its new place is taken, is answered with its record and `skipped: true`.";

function exampleTo(destination_path: string): Body {
  const { drive_id } = t.exampleOf(foundSchema);
  return { drive_id, path: "notes/2030/plan.md", destination_path };
}

type TransferInput = Pick<Input<TObject, TObject, typeof body>, "caller" | "request" | "body">;

async function transfer(
  { paths, manyPaths }: Parts,
  how: "copy" | "move",
  { caller, request, body: sent }: TransferInput,
  reply: Reply,
): Promise<unknown> {
  requireOneOf(sent);
  const to: Destination = {
    path: sent.destination_path,
    driveId: sent.destination_drive_id,
    onConflict: sent.on_conflict ?? "fail",
  };
  if (sent.path !== undefined) {
    const ref = { drive: driveIn(sent), path: sent.path };
    return paths.transfer(how, caller, ref, to, preconditionOf(request), reply.with(answerOfOne));
  }
  requireFolder(to);
  const all = await namedIn(manyPaths, caller, sent);
  const longest = { each: all.map((each) => longestOutcome(each, to)), batch: t.exampleOf(fileSchema).id };
  reply.requireRoom({ json: recordOf(longest) });
  return manyPaths.transfer(
    how,
    caller,
    all,
    to,
    reply.with((done) => ({ json: recordOf(done) })),
  );
}

/** All that is named, but by `path`. Throws VALIDATION_ERROR. */
export async function namedIn(manyPaths: ManyPaths, caller: Caller, sent: Sent): Promise<readonly Named[]> {
  if (sent.file_ids !== undefined) return [...new Set(sent.file_ids)].map((id) => ({ id }));
  const drive = driveIn(sent);
  if (sent.paths !== undefined) return [...new Set(sent.paths)].map((path) => ({ drive, path }));
  const found = await manyPaths.matching(
    caller,
    drive,
    Glob.parse("glob", sent.glob ?? ""),
    MANY_PATHS.named,
  );
  return found.map(({ path }) => ({ drive, path }));
}

/** Throws VALIDATION_ERROR unless it is named in one way. */
export function requireOneOf(sent: Sent): void {
  const ways = [sent.path, sent.paths, sent.file_ids, sent.glob].filter((each) => each !== undefined);
  if (ways.length !== 1)
    throw invalid("path", "or one of paths, file_ids and glob must be given, and only one");
}

/** Throws VALIDATION_ERROR for a place that several cannot go to. */
export function requireFolder({ path }: Destination): void {
  if (path.endsWith("/")) return;
  throw invalid("destination_path", 'must end with "/": several files and folders go into a folder');
}

function driveIn({ drive_id: drive }: Sent): string {
  if (drive === undefined) throw invalid("drive_id", "is required");
  return drive;
}

/** What an answer says: the id of the batch is of any kind. */
interface Answered {
  readonly each: readonly Outcome[];
  readonly batch: string | null;
}

function answerOfOne(done: TransferredPath) {
  return { json: { ...foundRecord(done), ...(done.isSkipped ? { skipped: true } : {}) } };
}

function recordOf({ each, batch }: Answered): OutcomesRecord {
  const results = each.map(({ name: path, to, error }) => {
    if (error !== null)
      return { path, status: "failed" as const, error: { code: error.code, message: error.message } };
    return to === null ? { path, status: "skipped" as const } : { path, status: "done" as const, to };
  });
  const count = (status: OutcomesRecord["results"][number]["status"]) =>
    results.filter((result) => result.status === status).length;
  return {
    results,
    done: count("done"),
    skipped: count("skipped"),
    failed: count("failed"),
    batch_id: batch,
  };
}

/** About as much as an answer says of one, whatever becomes of it: an error says more than the place. */
function longestOutcome(named: Named, { path: folder }: Destination): Outcome {
  const name = "id" in named ? named.id : named.path;
  return { name, to: null, error: new CofferError("CONFLICT", folder + name + " ".repeat(ERROR_CHARACTERS)) };
}
