import { isUtf8 } from "node:buffer";
import { Type } from "@sinclair/typebox";
import { isTextType } from "../../../domain/contents/media-type.ts";
import { mimeTypeOf } from "../../../domain/contents/mime-types.ts";
import { isWords } from "../../../domain/contents/texts/text.ts";
import { invalid } from "../../../domain/errors.ts";
import { parsePathOfFile } from "../../../domain/files/path.ts";
import { BATCH } from "../../../domain/limits.ts";
import { editFields, editsIn } from "../../resources/contents/edits.ts";
import { failureOf } from "../failures.ts";
import { type Call, tool } from "../tool.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";

export const writingTools = [
  tool(
    {
      name: "write_file",
      title: "Write a file",
      description:
        "Creates a file, or replaces one as a whole, with its missing folders; or many texts with one call, as `files`. Pass `text`, or `base64` for a small binary file; for anything large use share with the action upload. To change a part of a text use edit_file, to add to its end append_file. To replace a file that you have read, pass its etag as if_match; to be sure that you replace nothing, pass only_create.",
      needs: "writing",
      isDestructive: true,
      isIdempotent: true,
      input: Type.Object({
        drive_id: shown.driveArgument,
        path: t.optionalText("The file's path in the drive.", "notes/plan.md"),
        files: Type.Optional(
          Type.Array(
            Type.Object({ path: Type.String(), text: Type.String(), if_match: shown.ifMatchArgument }),
            {
              minItems: 1,
              maxItems: BATCH.files,
              description: "Many at once, instead of path and text; each has its own outcome.",
            },
          ),
        ),
        text: t.optionalText("The content, stored as UTF-8."),
        base64: t.optionalText("The content of a binary file, in base64."),
        content_type: t.optionalText("Default: by the extension.", "text/markdown"),
        tags: t.optionalTexts({
          description: "Labels to find the file by. Default: those that the file has.",
        }),
        if_match: shown.ifMatchArgument,
        message: shown.messageArgument,
        only_create: t.optionalFlag("Whether to fail if there is already a file. Default false."),
      }),
    },
    async (call) => {
      const { input, caller, drive, services } = call;
      if (input.files !== undefined) return writeMany(call, input.files);
      const { path = missingPath() } = input;
      const content = contentOf({ ...input, path });
      const fields = {
        driveId: drive.id,
        path: parsePathOfFile("path", path),
        contentType: input.content_type,
        tags: input.tags,
        keepsRest: true,
        isText: input.text !== undefined,
      };
      const precondition = {
        ...shown.preconditionFrom(input.if_match),
        ifNoneMatch: input.only_create === true ? "*" : null,
      };
      const upload = await services.uploads.begin(caller, drive.id);
      try {
        if (content.length > 0) await upload.write(content);
        const { file, created } = await upload.finish(fields, precondition);
        return { ...shown.fileShown(drive, file, shown.CHANGED), created };
      } finally {
        await upload.abort();
      }
    },
  ),
  tool(
    {
      name: "edit_file",
      title: "Edit a text file",
      description:
        "Changes parts of a text file and leaves the rest as it is. Give one edit (`op` and its fields), or several as `edits`, which are made in their order: all, or none. `str_replace` replaces old_string, which must be in the file exactly once, unless you pass replace_all; if it is not, the error names the lines. `insert` puts text after a line, `append` adds it at the end. The answer has the diff, if it is long without its end (diff_cut). With dry_run you only see it. Other agents' edits at the same time are not lost; pass if_match to be sure that nothing changed since you read the file.",
      needs: "writing",
      isDestructive: true,
      input: Type.Object({
        ...shown.fileArguments,
        ...editFields,
        if_match: shown.ifMatchArgument,
        message: shown.messageArgument,
      }),
    },
    async ({ input, caller, drive, services: { edits } }) => {
      const ref = { drive: drive.id, path: input.path };
      const options = {
        precondition: shown.preconditionFrom(input.if_match),
        dryRun: input.dry_run ?? false,
        creates: input.create ?? false,
      };
      const { file, diff } = await edits.apply(caller, ref, editsIn(input), options);
      return { ...shown.fileShown(drive, file, shown.CHANGED), ...shown.diffShown(diff) };
    },
  ),
  tool(
    {
      name: "append_file",
      title: "Append to a text file",
      description:
        "Adds text to the end of a file of any size, exactly as it is: begin it with a line end if the file does not end with one. If there may be no file yet, pass create. Good for logs and journals that several agents write to.",
      needs: "writing",
      input: Type.Object({
        ...shown.fileArguments,
        text: t.text("What to add."),
        create: t.optionalFlag("Whether to make the file if there is none. Default false."),
        if_match: shown.ifMatchArgument,
        message: shown.messageArgument,
      }),
    },
    async ({ input, caller, drive, services: { edits } }) => {
      const ref = { drive: drive.id, path: input.path };
      const creates = input.create ?? false;
      const options = { precondition: shown.preconditionFrom(input.if_match), dryRun: false, creates };
      const { file } = await edits.apply(caller, ref, [{ op: "append", text: input.text }], options);
      return shown.fileShown(drive, file, shown.CHANGED);
    },
  ),
];

function missingPath(): never {
  throw invalid("path", "is required, or files instead");
}

interface GivenFile {
  readonly path: string;
  readonly text: string;
  readonly if_match?: string;
}

/** Writes each file for itself, all of them as one batch. */
async function writeMany(
  { caller, context, drive, services, log }: Call<unknown>,
  files: readonly GivenFile[],
): Promise<object> {
  const options = { drive: drive.id, prefix: "", onConflict: "replace", isAtomic: false } as const;
  await using batch = await services.batchUploads.begin(caller, context.client, options, null);
  const { outcomes, batch: id } = await batch.whole(async () => {
    for (const { path, text, if_match: tag } of files) {
      const fields = { path, isText: true, precondition: shown.preconditionFrom(tag) };
      const read = async (write: (piece: Uint8Array) => Promise<void>) => {
        if (text !== "") await write(Buffer.from(text));
        return fields;
      };
      await batch.add({ line: null, path, isFolder: false, read });
    }
    return batch.finish();
  });
  const failed = outcomes.flatMap(({ path, error }) =>
    error === null ? [] : { path, error: failureOf(error, context, log).text },
  );
  return {
    written: outcomes.length - failed.length,
    ...(failed.length === 0 ? {} : { failed: shown.fitting(failed) }),
    ...shown.batch(id),
  };
}

/** What of the arguments the content is made of. */
interface Given {
  readonly text?: string;
  readonly base64?: string;
  readonly path: string;
  readonly content_type?: string;
}

const NOT_BASE64 = "is not base64: pass text as text instead";

function contentOf({ text, base64, path, content_type: type }: Given): Uint8Array {
  if (text !== undefined && base64 === undefined) return new TextEncoder().encode(text);
  if (base64 === undefined || text !== undefined)
    throw invalid("text", "or base64 must be given, and not both");
  // Words with blanks between them are text, which would be decoded to other bytes.
  if (/\S[ \t]+\S/.test(base64)) throw invalid("base64", NOT_BASE64);
  const bytes = decoded(base64);
  if (isWords(base64) && !isUtf8(bytes) && isTextType(type ?? mimeTypeOf(path)))
    throw invalid(
      "base64",
      "is plainly text: pass it as text instead. If it is base64, pass a content_type that is not of text",
    );
  return bytes;
}

function decoded(base64: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(base64);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid("base64", NOT_BASE64);
    throw error;
  }
}
