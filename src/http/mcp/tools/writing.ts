import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../domain/caller.ts";
import { invalid } from "../../../domain/errors.ts";
import type { UploadFields } from "../../../services/contents/upload-fields.ts";
import type { Uploaded, Uploads } from "../../../services/contents/uploads.ts";
import { mimeTypeOf, UNKNOWN_TYPE } from "../../../domain/mime.ts";
import { parsePathOfFile } from "../../../domain/path.ts";
import type { Precondition } from "../../../domain/precondition.ts";
import { driveNamed } from "../drive-named.ts";
import type { McpOptions } from "../options.ts";
import {
  driveArgument,
  fileShown,
  ifMatchArgument,
  pathArgument,
  preconditionFrom,
  shownFile,
} from "../shown.ts";
import { type Tool, tool } from "../tool.ts";

/** Writes whole files. */
export function writingTools({ services }: McpOptions): Tool[] {
  const { drives, uploads } = services;
  return [
    tool(
      {
        name: "write_file",
        title: "Write a file",
        description:
          "Creates a file, or replaces one as a whole, with its missing folders. Pass `text`, or `base64` for a small binary file; for anything large use create_upload_link. To change a part of a text use edit_file, to add to its end append_file. To replace a file that you have read, pass its etag as if_match; to be sure that you replace nothing, pass only_create.",
        needs: "writing",
        isDestructive: true,
        isIdempotent: true,
        next: {
          PRECONDITION_FAILED:
            "With only_create, there is a file already: choose another path. With if_match, the file has changed since you read it, or is gone: read the file again, make your change to what it says now, and pass its new etag.",
        },
        input: Type.Object({
          drive: driveArgument,
          path: pathArgument,
          text: Type.Optional(Type.String({ description: "The content, stored as UTF-8." })),
          base64: Type.Optional(Type.String({ description: "The content of a binary file, in base64." })),
          mime_type: Type.Optional(
            Type.String({ description: "Default: by the extension.", examples: ["text/markdown"] }),
          ),
          tags: Type.Optional(
            Type.Array(Type.String(), {
              description: "Labels to find the file by. Default: those that the file has.",
            }),
          ),
          if_match: ifMatchArgument,
          only_create: Type.Optional(
            Type.Boolean({ description: "Whether to fail if there is already a file. Default false." }),
          ),
        }),
        output: Type.Object({
          ...shownFile,
          created: Type.Boolean({ description: "False if it replaced a file." }),
        }),
      },
      async ({ input, caller }) => {
        const drive = driveNamed(drives, caller, input.drive);
        const content = contentOf(input.text, input.base64);
        const fields = {
          driveId: drive.id,
          filename: undefined,
          path: parsePathOfFile("path", input.path),
          contentType: input.mime_type ?? (input.text === undefined ? undefined : textTypeOf(input.path)),
          metadata: undefined,
          tags: input.tags,
          expiresAt: undefined,
          keepsRest: true,
        };
        const precondition = {
          ...preconditionFrom(input.if_match),
          ifNoneMatch: input.only_create === true ? "*" : null,
        };
        const { file, created } = await store(uploads, caller, content, fields, precondition);
        return { structured: { ...fileShown(drive, file), created } };
      },
    ),
  ];
}

/** Text without a known extension is still text: of another type it could be neither searched nor read. */
function textTypeOf(path: string): string | undefined {
  return mimeTypeOf(path) === UNKNOWN_TYPE ? "text/plain" : undefined;
}

const NOT_BASE64 = "is not base64: pass text as text instead";

function contentOf(text: string | undefined, base64: string | undefined): Uint8Array {
  if (text !== undefined && base64 === undefined) return new TextEncoder().encode(text);
  if (base64 === undefined || text !== undefined)
    throw invalid("text", "or base64 must be given, and not both");
  // Words with blanks between them are text, which would be decoded to other bytes.
  if (/\S[ \t]+\S/.test(base64)) throw invalid("base64", NOT_BASE64);
  try {
    return Uint8Array.fromBase64(base64);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid("base64", NOT_BASE64);
    throw error;
  }
}

async function store(
  uploads: Uploads,
  caller: Caller,
  content: Uint8Array,
  fields: UploadFields,
  precondition: Precondition,
): Promise<Uploaded> {
  const upload = await uploads.begin(caller, fields.driveId);
  try {
    if (content.length > 0) await upload.write(content);
    return await upload.finish(fields, precondition);
  } finally {
    await upload.abort();
  }
}
