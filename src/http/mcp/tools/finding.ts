import { Type } from "@sinclair/typebox";
import type { SeenDrive } from "../../../domain/drives/drive.ts";
import type { FileFacts } from "../../../domain/files/file.ts";
import { GREP } from "../../../domain/limits.ts";
import { grepCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const { tags: _, ...shownFound } = shown.shownFile;

const onlyDriveArgument = Type.Optional(
  Type.String({ minLength: 1, description: "Only this drive. Default: all your drives." }),
);
const prefixArgument = t.optionalText("Only paths that start so, such as notes/.");

export const findingTools = [
  tool(
    {
      name: "search",
      title: "Search files",
      description:
        'Finds files by words in their names, folders, tags and text, best matches first. All words must match; "..." is a phrase. Searches all your drives, unless you name one. To find the lines that match a pattern, use grep. To read a result, pass its drive (as drive_id) and path to read_file, or its id to fetch.',
      needs: "reading",
      input: Type.Object({
        query: Type.String({ minLength: 1, description: 'Words, and phrases in "...".' }),
        drive_id: onlyDriveArgument,
        prefix: prefixArgument,
        tags: shown.onlyTagsArgument,
        mime_type: t.optionalText("Only this type.", "image/*", "application/pdf"),
        limit: t.optionalNumber(1, `Default ${shown.SEARCH_RESULTS}.`, shown.SEARCH_RESULTS),
        page: t.optionalNumber(1, "Default 1.", 1_000_000),
      }),
      output: Type.Object({
        results: Type.Array(
          Type.Object({
            id: t.text("What fetch takes."),
            title: t.text("The filename."),
            url: t.text("Where a human sees the file, signed in."),
            ...shownFound,
            snippet: t.optionalText("Where its text matches."),
          }),
        ),
        total: Type.Integer(),
        next_page: t.optionalInteger({ description: "There is more: pass it as page." }),
      }),
    },
    async (call) => {
      const { input, caller, context, services, linkBase } = call;
      const { page = 1, limit = shown.SEARCH_RESULTS } = input;
      const drive = onlyDrive(call);
      const { findings, total } = await services.search.find(caller, {
        q: input.query,
        driveId: drive?.id ?? null,
        prefix: input.prefix ?? null,
        tags: input.tags ?? [],
        mimeType: input.mime_type ?? null,
        minSize: null,
        maxSize: null,
        updatedAfter: null,
        updatedBefore: null,
        page,
        limit,
      });
      const base = linkBase(context);
      const results = findings.map(({ file, snippet }) => ({
        id: file.id,
        title: file.filename,
        url: shown.fileAddress(base, file),
        ...foundShown(call, drive, file),
        ...(snippet === null ? {} : { snippet }),
      }));
      return { results, total, ...(page * limit < total ? { next_page: page + 1 } : {}) };
    },
  ),
  tool(
    {
      name: "grep",
      title: "Search the lines of files",
      description:
        "Finds the lines of text files that match a regular expression (RE2 syntax: no look-around, no back references), with their numbers. Searches all your drives, unless you name one. To find files by words, use search.",
      needs: "reading",
      input: Type.Object({
        pattern: Type.String({ minLength: 1, examples: ["TODO|FIXME"] }),
        drive_id: onlyDriveArgument,
        prefix: prefixArgument,
        ignore_case: t.optionalFlag("Default false."),
        context: t.optionalNumber(
          0,
          "How many lines before and after each match to show. Default 0.",
          GREP.context,
        ),
        cursor: shown.cursorArgument,
      }),
      output: Type.Object({
        files: Type.Array(
          Type.Object({
            ...shownFound,
            matches: Type.Array(
              Type.Object({
                line_number: Type.Integer(),
                line: Type.String(),
                before: Type.Optional(Type.Array(Type.String())),
                after: Type.Optional(Type.Array(Type.String())),
              }),
            ),
          }),
        ),
        is_partial: Type.Boolean({ description: "Whether something is left out." }),
        next_cursor: t.optionalText("There may be more: pass it as cursor, with the same other arguments."),
      }),
    },
    async (call) => {
      const { input, caller, context, services, signal } = call;
      const drive = onlyDrive(call);
      const page = await services.grep.find(
        caller,
        {
          drive: drive?.id ?? null,
          prefix: input.prefix ?? null,
          glob: null,
          pattern: input.pattern,
          ignoreCase: input.ignore_case ?? false,
          context: input.context ?? 0,
          limit: shown.GREP_PAGE.files,
          from: grepCursor.read(input.cursor),
          bounds: shown.GREP_PAGE.bounds,
        },
        { client: context.client, signal },
      );
      const files = page.files.map(({ file, matches }) => ({
        ...foundShown(call, drive, file),
        matches: matches.map(({ line, text, before, after }) => ({
          line_number: line,
          line: text,
          ...(before.length === 0 ? {} : { before: [...before] }),
          ...(after.length === 0 ? {} : { after: [...after] }),
        })),
      }));
      const more = page.next === null ? {} : { next_cursor: grepCursor.write(page.next) };
      return { files, is_partial: page.isPartial, ...more };
    },
  ),
];

/** The drive that is named; null for all. */
function onlyDrive(call: Call<{ readonly drive_id?: string }>): SeenDrive | null {
  return call.input.drive_id === undefined ? null : call.drive;
}

/** A file that was found in the named drive, or in any. */
function foundShown({ caller, services }: Call<unknown>, drive: SeenDrive | null, file: FileFacts) {
  const { tags: __, ...found } = shown.fileShown(drive ?? services.drives.get(caller, file.driveId), file);
  return found;
}
