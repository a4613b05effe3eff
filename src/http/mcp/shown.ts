import { Type } from "@sinclair/typebox";
import type { Drive } from "../../domain/drives/drive.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import { type Precondition, quotedTag } from "../../domain/files/precondition.ts";
import { formatInstant } from "../../domain/time.ts";
import { etagOf } from "../content/conditions.ts";

export function optionalText(description: string, ...examples: string[]) {
  return Type.Optional(Type.String({ description, ...(examples.length === 0 ? {} : { examples }) }));
}

export function optionalFlag(description: string) {
  return Type.Optional(Type.Boolean({ description }));
}

export const driveArgument = Type.Optional(
  Type.String({
    minLength: 1,
    description: "The drive's id or slug, from list_drives. Leave it out if you have one drive only.",
  }),
);

export const pathArgument = Type.String({
  minLength: 1,
  description: "The file's path in the drive.",
  examples: ["notes/plan.md"],
});

/** What names a file. */
export const fileArguments = { drive_id: driveArgument, path: pathArgument };

/** The guard of a change, in arguments. */
export const ifMatchArgument = optionalText(
  "The etag that the file must still have. If it has another, nothing is changed.",
);

export const onlyTagsArgument = Type.Optional(
  Type.Array(Type.String(), { description: "Only files with all of these tags." }),
);

export const cursorArgument = optionalText("next_cursor of the page before.");

/** A file in answers. */
export const shownFile = {
  drive: Type.String({ description: "The drive: pass it as drive_id." }),
  path: Type.String(),
  etag: Type.String({ description: "Changes with the content; pass it as if_match." }),
  size: Type.Integer({ description: "Bytes." }),
  mime_type: Type.String(),
  tags: Type.Array(Type.String()),
  updated_at: Type.String(),
};

/** A drive as arguments name it: by its slug or, while it has none, its id. */
export function nameOf({ slug, id }: Drive): string {
  return slug ?? id;
}

/** A file in the shape of `shownFile`. */
export function fileShown(drive: Drive, file: FileFacts) {
  return {
    drive: nameOf(drive),
    path: file.path,
    etag: etagOf(file.digest),
    size: file.size,
    mime_type: file.mimeType,
    tags: [...file.tags],
    updated_at: formatInstant(file.updatedAt),
  };
}

/** The conditions of a change. An etag may come without its quotes. */
export function preconditionFrom(ifMatch: string | undefined): Precondition {
  const tag = ifMatch === undefined ? null : quotedTag(ifMatch);
  return { ifMatch: tag, ifUnmodifiedSince: null, ifNoneMatch: null };
}
