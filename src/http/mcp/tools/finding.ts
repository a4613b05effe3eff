import { Type } from "@sinclair/typebox";
import type { Drive } from "../../../domain/drives/drive.ts";
import { GREP } from "../../../domain/limits.ts";
import type { MatchedFile } from "../../../services/grep/request.ts";
import type { Finding } from "../../../services/search/search.ts";
import { decodeGrepPosition, encodeGrepPosition } from "../../operation/cursor.ts";
import { GREP_PAGE, SEARCH_RESULTS } from "../bounds.ts";
import { driveNamed } from "../drive-named.ts";
import type { McpOptions } from "../options.ts";
import { fileShown, shownFile } from "../shown.ts";
import { type Tool, tool } from "../tool.ts";
import { fileAddress } from "../file-address.ts";

const { tags: _, ...found } = shownFile;

export function findingTools({ services, linkBase }: McpOptions): Tool[] {
  const { drives, grep, search } = services;
  return [
    tool(
      {
        name: "search",
        title: "Search files",
        description:
          'Finds files by words in their names, folders, tags and text, best matches first. All words must match; "..." is a phrase. Searches all your drives, unless you name one. To find the lines that match a pattern, use grep. To read a result, pass its drive (as drive_id) and path to read_file, or its id to fetch.',
        needs: "reading",
        input: Type.Object({
          query: Type.String({ minLength: 1, description: 'Words, and phrases in "...".' }),
          drive_id: Type.Optional(
            Type.String({ minLength: 1, description: "Only this drive. Default: all your drives." }),
          ),
          prefix: Type.Optional(Type.String({ description: "Only paths that start so, such as notes/." })),
          tags: Type.Optional(
            Type.Array(Type.String(), { description: "Only files with all of these tags." }),
          ),
          mime_type: Type.Optional(
            Type.String({ description: "Only this type.", examples: ["image/*", "application/pdf"] }),
          ),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: SEARCH_RESULTS, description: `Default ${SEARCH_RESULTS}.` }),
          ),
          page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1." })),
        }),
        output: Type.Object({
          results: Type.Array(
            Type.Object({
              id: Type.String({ description: "What fetch takes." }),
              title: Type.String({ description: "The filename." }),
              url: Type.String({ description: "Where a human sees the file, signed in." }),
              ...found,
              snippet: Type.Optional(Type.String({ description: "Where its text matches." })),
            }),
          ),
          total: Type.Integer(),
          next_page: Type.Optional(Type.Integer({ description: "There is more: pass it as page." })),
        }),
      },
      async ({ input, caller, context }) => {
        const { page = 1, limit = SEARCH_RESULTS } = input;
        const drive = input.drive_id === undefined ? null : driveNamed(drives, caller, input.drive_id);
        const { findings, total } = await search.find(caller, {
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
        const results = findings.map((finding) =>
          resultOf(finding, drive ?? drives.get(caller, finding.file.driveId), base),
        );
        const more = page * limit < total ? { next_page: page + 1 } : {};
        return { structured: { results, total, ...more } };
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
          drive_id: Type.Optional(
            Type.String({ minLength: 1, description: "Only this drive. Default: all your drives." }),
          ),
          prefix: Type.Optional(Type.String({ description: "Only paths that start so, such as notes/." })),
          ignore_case: Type.Optional(Type.Boolean({ description: "Default false." })),
          context: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: GREP.context,
              description: "How many lines before and after each match to show. Default 0.",
            }),
          ),
          cursor: Type.Optional(Type.String({ description: "next_cursor of the page before." })),
        }),
        output: Type.Object({
          files: Type.Array(
            Type.Object({
              ...found,
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
          next_cursor: Type.Optional(
            Type.String({
              description: "There may be more: pass it as cursor, with the same other arguments.",
            }),
          ),
        }),
      },
      async ({ input, caller, context, signal }) => {
        const drive = input.drive_id === undefined ? null : driveNamed(drives, caller, input.drive_id);
        const page = await grep.find(
          caller,
          {
            drive: drive?.id ?? null,
            prefix: input.prefix ?? null,
            pattern: input.pattern,
            ignoreCase: input.ignore_case ?? false,
            context: input.context ?? 0,
            limit: GREP_PAGE.files,
            from: input.cursor === undefined ? null : decodeGrepPosition(input.cursor),
            bounds: GREP_PAGE.bounds,
          },
          { client: context.client, signal },
        );
        const files = page.files.map((each) =>
          matchedFile(each, drive ?? drives.get(caller, each.file.driveId)),
        );
        const more = page.next === null ? {} : { next_cursor: encodeGrepPosition(page.next) };
        return { structured: { files, is_partial: page.isPartial, ...more } };
      },
    ),
  ];
}

function matchedFile({ file, matches }: MatchedFile, drive: Drive) {
  const { tags: __, ...facts } = fileShown(drive, file);
  return {
    ...facts,
    matches: matches.map(({ line, text, before, after }) => ({
      line_number: line,
      line: text,
      ...(before.length === 0 ? {} : { before: [...before] }),
      ...(after.length === 0 ? {} : { after: [...after] }),
    })),
  };
}

function resultOf({ file, snippet }: Finding, drive: Drive, base: string) {
  const { tags: __, ...facts } = fileShown(drive, file);
  return {
    id: file.id,
    title: file.filename,
    url: fileAddress(base, file),
    ...facts,
    ...(snippet === null ? {} : { snippet }),
  };
}
