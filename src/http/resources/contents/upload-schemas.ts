import { Type } from "@sinclair/typebox";
import * as t from "../../operation/schema.ts";
import { ENCODING_NAMES, HELD_BYTES } from "../../upload/json.ts";

const attributes = {
  path: t.optionalText(
    "The path in the drive. Default: the filename. A path that ends with `/` is the folder for the file.",
    "notes/hello.txt",
  ),
  content_type: t.optionalText("Default: the type of the filename's extension."),
  expires_at: Type.Optional(t.nullable(t.timeInput("When the file expires and is deleted."))),
};
const filename = t.text(
  "1 to 255 bytes, no `/`. Only needed if `path` does not name the file: it must be the last segment of that.",
  "hello.txt",
);
const metadata = t.metadataInput("Any JSON object.");
const tags = Type.Array(Type.String(), { description: "At most 64 tags of 1 to 64 characters each." });

/** How a content stands in JSON. */
const jsonContent = {
  text: t.optionalText(
    "The content of a text file, stored as UTF-8. Send either this or `content`. If the filename says nothing of the type, it is `text/plain`.",
    "Hello World!",
  ),
  content: t.optionalText(
    "The content of any file, in base64 (standard alphabet), unless `encoding` says otherwise. Send either this or `text`. Padding is optional. It may be wrapped: line breaks are ignored, and blanks at either end of a line. Anything else is refused with its position, so that text that was not encoded is not decoded to other bytes; so is what is plainly words, for a file of text. To send bytes as they are, use `PUT /v0/files`.",
    "SGVsbG8gV29ybGQh",
  ),
  encoding: Type.Optional(
    t.oneOf(ENCODING_NAMES, {
      description: `How \`content\` is written. Default \`base64\`; the others say that it is text. Send it before a \`content\` of more than ${HELD_BYTES / 1024} KiB.`,
    }),
  ),
};

export const jsonUpload = Type.Object({
  drive_id: t.driveRef(),
  filename: Type.Optional(filename),
  ...jsonContent,
  ...attributes,
  metadata: Type.Optional(metadata),
  tags: Type.Optional(tags),
});

/** A line of a batch. */
export const batchLine = Type.Object({
  ...jsonContent,
  ...attributes,
  path: t.text("The path in the drive, below the `prefix` of the batch.", "notes/hello.txt"),
  metadata: Type.Optional(metadata),
  tags: Type.Optional(tags),
  if_match: t.optionalText("Only if the file at this path still has this ETag."),
  only_create: t.optionalFlag("Only if there is no file at this path. Default false."),
});

export const multipartUpload = Type.Object({
  drive_id: t.driveRef(),
  file: Type.String({
    format: "binary",
    description: "The content. Its filename counts where neither `filename` nor `path` names the file.",
  }),
  filename: Type.Optional(filename),
  ...attributes,
  metadata: t.optionalText("A JSON object."),
  tags: t.optionalText("Tags separated by commas, or a JSON array. May be repeated."),
});

/** The query of an upload whose body is the content. */
export const rawQuery = Type.Object({
  drive_id: t.driveRef(),
  ...attributes,
  path: Type.String({
    minLength: 1,
    description: "The path in the drive. In a query, `+` is a space: send `%2B` for a plus sign.",
    examples: ["notes/hello.txt"],
  }),
  filename: t.optionalText("Default: the last segment of the path."),
  expires_at: Type.Optional(t.timeInput("When the file expires and is deleted.")),
  metadata: t.optionalText("A JSON object, percent-encoded.", '{"source":"example"}'),
  tags: t.tagsParameter("At most 64 tags of 1 to 64 characters each."),
});
/** The metadata in that query. */
export const rawMetadata = Type.Object({ metadata: Type.Optional(metadata) });
