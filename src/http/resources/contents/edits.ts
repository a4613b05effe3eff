import { type Static, Type } from "@sinclair/typebox";
import type { Edit } from "../../../domain/contents/edit/edited-text.ts";
import { invalid } from "../../../domain/errors.ts";
import { DIFF_BYTES, EDIT_BYTES, EDITS, MIB } from "../../../domain/limits.ts";
import type { EditedFile } from "../../../services/contents/edits.ts";
import { ETAG, IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { TEXT_BODY } from "../../json/json-body.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { fileWrite } from "../../operation/file-route.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { fileAnswerOf } from "../files/files.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

const OPS = ["str_replace", "insert", "append"] as const;

const op = t.oneOf(OPS, { description: "What to do; each has its own fields." });

/** The fields of all edits: which of them are needed depends on `op`. */
const fields = {
  old_string: t.optionalText(
    "`str_replace`: the text to replace, exactly as it is in the file. It must be there once.",
  ),
  new_string: t.optionalText("`str_replace`: the text to put in its place."),
  replace_all: t.optionalFlag("`str_replace`: whether to replace it wherever it is. Default false."),
  line: t.optionalNumber(
    0,
    "`insert`: the line after which the text is inserted; 0 for the start of the file.",
  ),
  text: t.optionalText(
    "`insert`: lines; a line end is added where one is missing. `append`: the text to add at the end, exactly.",
  ),
};

const FIELD_NAMES = ["old_string", "new_string", "replace_all", "line", "text"] as const;

const one = Type.Object({ op, ...fields });

/** One edit, or several, in a request. */
export const editFields = {
  op: Type.Optional(op),
  ...fields,
  edits: Type.Optional(
    Type.Array(one, {
      minItems: 1,
      maxItems: EDITS,
      description:
        "Several edits, instead of `op` and its fields. They are made in this order: all, or none.",
    }),
  ),
  create: t.optionalFlag(
    "`append`: whether to make the file, if there is none at the path. Whoever is first makes it, and others append. Default false.",
  ),
  dry_run: t.optionalFlag("Only show the diff, and change nothing. Default false."),
};

const body = Type.Object(editFields);

const example = {
  ...t.exampleOf(fileSchema),
  diff: "--- a/notes/hello.txt\n+++ b/notes/hello.txt\n@@ -1,1 +1,1 @@\n-Hello!\n+Hello World!\n",
  diff_cut: false,
  created: false,
};

export function edits({ edits: service }: Parts) {
  return fileWrite("POST", "/edit", {
    operationId: "editFile",
    tag: "Files",
    summary: "Edit a text",
    description: `Changes parts of a text file; the rest of it stays as it is, byte for byte: its encoding, byte order mark and line ends. If all its lines end with \`\\r\\n\`, a \`\\n\` in \`old_string\`, \`new_string\` or inserted text stands for that, unless they have a \`\\r\`. Nothing else of the file changes. An \`old_string\` that is not in the file, or more than once, gives 409, which names the lines. Files of up to ${EDIT_BYTES / MIB} MiB can be edited; to a larger one text can only be appended. Edits that are made at the same time do not lose each other; with \`If-Match\`, the file must also be as you have read it.`,
    headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
    body,
    bodyLimits: TEXT_BODY,
    example: { op: "append", text: "Hello World!\n" },
    answers: {
      description: "The file's record, as it is now, and what changed.",
      json: Type.Intersect([
        fileSchema,
        Type.Object({
          diff: t.text(`What changed, as a unified diff; at most ${DIFF_BYTES / 1024} KiB.`),
          diff_cut: Type.Boolean({ description: "Whether the end of the diff is left out." }),
          created: Type.Boolean({ description: "Whether the file was made, with `create`." }),
        }),
      ]),
      headers: ETAG,
      example,
    },
    errors: ["CONFLICT", "EXTRACTION_FAILED"],
    perform: ({ body: sent, caller, request }, file, reply) => {
      const options = {
        precondition: preconditionOf(request),
        dryRun: sent.dry_run ?? false,
        creates: sent.create ?? false,
      };
      return service.apply(caller, file, editsIn(sent), options, reply.with(answerOf));
    },
  });
}

function answerOf({ file, diff, created }: EditedFile) {
  const { json, headers } = fileAnswerOf(file);
  return { json: { ...json, diff: diff.text, diff_cut: diff.isCut, created }, headers };
}

/** The edits of a request. Throws VALIDATION_ERROR for one that lacks what its `op` needs. */
export function editsIn({ op: single, edits: several, ...rest }: Static<typeof body>): Edit[] {
  if (several === undefined) return [editOf({ op: single ?? missing("op"), ...rest }, "")];
  const beside = single === undefined ? FIELD_NAMES.find((name) => rest[name] !== undefined) : "op";
  if (beside !== undefined) throw invalid("edits", `must not be sent together with ${beside}`);
  return several.map((each, index) => {
    const place = `edits[${index}].`;
    return { ...editOf(each, place), place };
  });
}

function editOf(sent: Static<typeof one>, place: string): Edit {
  switch (sent.op) {
    case "str_replace":
      return {
        op: sent.op,
        oldString: sent.old_string ?? missing(`${place}old_string`),
        newString: sent.new_string ?? missing(`${place}new_string`),
        replaceAll: sent.replace_all ?? false,
      };
    case "insert":
      return {
        op: sent.op,
        line: sent.line ?? missing(`${place}line`),
        text: sent.text ?? missing(`${place}text`),
      };
    case "append":
      return { op: sent.op, text: sent.text ?? missing(`${place}text`) };
  }
}

function missing(field: string): never {
  throw invalid(field, "is required");
}
