import { Type } from "@sinclair/typebox";
import type { SeenDrive } from "../../../domain/drives/drive.ts";
import type { FileFacts } from "../../../domain/files/file.ts";
import type { LineMatch } from "../../../services/grep/request.ts";
import { GREP } from "../../../domain/limits.ts";
import { grepCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import { globIn } from "../../resources/files/listings.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const onlyDriveArgument = Type.Optional(
  Type.String({ minLength: 1, description: "Only this drive. Default: all your drives." }),
);
const prefixArgument = t.optionalText("Only paths that start so, such as notes/.");

/** What some clients need of each result to cite it, and to call fetch. */
const LINKED = ["id", "title", "url"] as const;

export const findingTools = [
  tool(
    {
      name: "search",
      title: "Search files",
      description:
        'Finds files by words, or by a question, in their names, folders, tags and text, best matches first. If no file has all words, those with most of them are found, and is_relaxed is true. Words match in all their forms; "..." is a phrase, found exactly. Searches all your drives, unless you name one. next_page means that there is more: pass it as page. To find the lines that match a pattern, use grep. To read a result, pass its path to read_file, with its drive as drive_id if it has one, or its id to fetch.',
      needs: "reading",
      input: Type.Object({
        query: Type.String({ minLength: 1, description: 'Words, and phrases in "...".' }),
        drive_id: onlyDriveArgument,
        prefix: prefixArgument,
        tags: shown.onlyTagsArgument,
        fields: shown.fieldsArgument,
        mime_type: t.optionalText("Only this type.", "image/*", "application/pdf"),
        limit: t.optionalNumber(1, `Default ${shown.SEARCH_RESULTS}.`, shown.SEARCH_RESULTS),
        page: t.optionalNumber(1, "Default 1.", 1_000_000),
      }),
    },
    async (call) => {
      const { input, caller, services } = call;
      const { page = 1, limit = shown.SEARCH_RESULTS } = input;
      const drive = onlyDrive(call);
      const { findings, total, isRelaxed } = await services.search.find(caller, {
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
      const foundShown = showFound(call, [...LINKED, ...(input.fields ?? [])]);
      const results = findings.map(({ file, snippet }) => ({
        ...foundShown(file),
        ...(snippet === null ? {} : { snippet }),
      }));
      return {
        results,
        total,
        ...(isRelaxed ? { is_relaxed: true } : {}),
        ...(page * limit < total ? { next_page: page + 1 } : {}),
      };
    },
  ),
  tool(
    {
      name: "grep",
      title: "Search the lines of files",
      description:
        "Finds the lines of text files that match a regular expression (RE2 syntax: no look-around, no back references): `12: text` is line 12, `11- text` a line around a match, if you ask for context. next_cursor means that there may be more: pass it as cursor, with the same other arguments. Searches all your drives, unless you name one. To find files by words, use search.",
      needs: "reading",
      input: Type.Object({
        pattern: Type.String({ minLength: 1, examples: ["TODO|FIXME"] }),
        drive_id: onlyDriveArgument,
        prefix: prefixArgument,
        glob: shown.globArgument("Only files whose paths, below the folder of prefix, match"),
        fields: shown.fieldsArgument,
        ignore_case: t.optionalFlag("Default false."),
        context: t.optionalNumber(
          0,
          "How many lines before and after each match to show. Default 0.",
          GREP.context,
        ),
        cursor: shown.cursorArgument,
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
          glob: globIn(input.glob),
          pattern: input.pattern,
          ignoreCase: input.ignore_case ?? false,
          context: input.context ?? 0,
          limit: shown.GREP_PAGE.files,
          from: grepCursor.read(input.cursor),
          bounds: shown.GREP_PAGE.bounds,
        },
        { client: context.client, signal },
      );
      const foundShown = showFound(call, input.fields ?? []);
      const files = page.files.map(({ file, matches }) => ({ ...foundShown(file), lines: linesOf(matches) }));
      const more = shown.nextCursor(grepCursor.write(page.next));
      return { files, ...(page.isPartial ? { is_partial: true } : {}), ...more };
    },
  ),
];

/** The drive that is named; null for all. */
function onlyDrive(call: Call<{ readonly drive_id?: string }>): SeenDrive | null {
  return call.input.drive_id === undefined ? null : call.drive;
}

/** Makes what shows a file that was found; with its drive, if it may be in several. */
function showFound(call: Call<{ readonly drive_id?: string }>, fields: readonly shown.FileField[]) {
  const { caller, context, linkBase, services } = call;
  const [first, second] =
    call.input.drive_id === undefined ? services.drives.list(caller, null) : [call.drive];
  const only = second === undefined ? first : undefined;
  const base = linkBase(context);
  return (file: FileFacts) =>
    only === undefined
      ? shown.fileShown(services.drives.get(caller, file.driveId), file, ["drive", ...fields], base)
      : shown.fileShown(only, file, fields, base);
}

/** Lines as grep writes them, each once, in their order. */
function linesOf(matches: readonly LineMatch[]): string[] {
  const matched = new Set(matches.map(({ line }) => line));
  const around = new Map<number, string>();
  for (const { line, before, after } of matches) {
    for (const [at, text] of before.entries()) around.set(line - before.length + at, text);
    for (const [at, text] of after.entries()) around.set(line + 1 + at, text);
  }
  return [
    ...matches.map(({ line, text }) => ({ line, text: `${line}: ${text}` })),
    ...[...around]
      .filter(([line]) => !matched.has(line))
      .map(([line, text]) => ({ line, text: `${line}- ${text}` })),
  ]
    .toSorted((a, b) => a.line - b.line)
    .map(({ text }) => text);
}
