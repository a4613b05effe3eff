import { Type } from "@sinclair/typebox";
import { GREP, GREP_BOUNDS, GREP_LIMITS, MIB } from "../../../domain/limits.ts";
import { grepCursor } from "../../operation/cursor.ts";
import { operation } from "../../operation/route.ts";
import { didYouMean, plusMeant } from "../../operation/query.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { fileRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { fieldsIn, fieldsParameter, namesIn, picked } from "../../records/fields.ts";
import type { MatchedFile } from "../../../services/grep/request.ts";
import { globIn, globParameter } from "../files/listings.ts";
import type { Parts } from "../parts.ts";

const matchesSchema = Type.Object({
  matches: Type.Array(
    Type.Object({
      line_number: Type.Integer({ minimum: 1 }),
      line: t.text("Without its line end."),
      before: Type.Array(Type.String(), { description: "The lines before it." }),
      after: Type.Array(Type.String(), { description: "The lines after it." }),
    }),
  ),
  has_more_matches: Type.Boolean({
    description: "Whether more lines of the file match than are ever returned.",
  }),
});

const matchedFileSchema = Type.Intersect([fileSchema, matchesSchema]);

const FOUND_FIELDS = namesIn(fileSchema, matchesSchema);

const matchedFilesSchema = Type.Object({
  data: Type.Array(matchedFileSchema),
  ...didYouMean,
  is_partial: Type.Boolean({ description: "Whether something that matches may be left out." }),
  next_cursor: t.nextCursor,
});

type MatchedFilesPage = t.RecordOf<typeof matchedFilesSchema>;

const exampleAnswer: MatchedFilesPage = {
  data: [
    {
      ...t.exampleOf(fileSchema),
      matches: [{ line_number: 1, line: "Hello World!", before: [], after: [] }],
      has_more_matches: false,
    },
  ],
  is_partial: false,
  next_cursor: null,
};

export function grep({ grep: service }: Parts) {
  return operation("GET", "/v0/grep", {
    operationId: "grepFiles",
    tag: "Search",
    summary: "Search the lines of files",
    description: [
      "Searches the text of files, line by line, with a regular expression. Files are in path order, drive by drive. Text is read as UTF-8, as UTF-16 if it starts with that byte order mark, else as Latin-1; other files are passed over. A line ends with LF or CR LF, which the pattern does not see, so `^` and `$` match at the ends of each line.",
      `Of each file at most ${GREP.fileMatches} lines are returned; \`has_more_matches\` says if there are more. Of a line with more than ${GREP.lineCharacters} characters, the part around its first match is returned, with \`…\` where it is cut. Lines over ${GREP_BOUNDS.blockBytes / 1024} KiB are searched in pieces of that size, each returned like a line of its own.`,
      `A page ends after \`limit\` files, ${GREP_BOUNDS.matches} matches, ${GREP_BOUNDS.characters} characters of lines in JSON, ${GREP_BOUNDS.bytes / MIB} MiB that were searched, or ${GREP_BOUNDS.time / 1000} seconds: perhaps inside a file, and perhaps with nothing found yet. Then \`next_cursor\` says where to go on. \`is_partial\` is true if anything may be missing: more pages, more matches of a file, or a file whose content is damaged.`,
      `At most ${GREP_LIMITS.each} such searches can wait or run at once for one account or unclaimed drive. Above that, 429 is returned.`,
    ].join("\n\n"),
    query: Type.Object({
      pattern: t.text(
        `A regular expression of at most ${GREP.patternCharacters} characters, in [the syntax of RE2](https://github.com/google/re2/wiki/Syntax): without back references and look-around. In a query, \`+\` is a space: send \`%2B\` for a plus sign.`,
        "TODO|FIXME",
        "^import .* from",
      ),
      drive_id: Type.Optional(t.driveRef("Default: all drives that the caller can access.")),
      prefix: t.prefix,
      glob: globParameter(),
      fields: fieldsParameter,
      ignore_case: t.flag("Whether upper and lower case are the same."),
      context: Type.Integer({
        minimum: 0,
        maximum: GREP.context,
        default: 0,
        description: "How many lines before and after each match are returned.",
      }),
      limit: t.paging.limit,
      cursor: t.optionalText(
        "The `next_cursor` of a page. The other parameters must be the same as for that page.",
      ),
    }),
    answers: {
      description: "A page of files with matches.",
      json: matchedFilesSchema,
      example: exampleAnswer,
    },
    handle: async ({ query, caller, context, request }) => {
      const fields = fieldsIn(query.fields, FOUND_FIELDS);
      const { files, isPartial, next } = await service.find(
        caller,
        {
          drive: query.drive_id ?? null,
          prefix: query.prefix ?? null,
          glob: globIn(query.glob),
          pattern: query.pattern,
          ignoreCase: query.ignore_case,
          context: query.context,
          limit: query.limit,
          from: grepCursor.read(query.cursor),
        },
        { client: context.client, signal: request.signal },
      );
      const isNothing = files.length === 0 && next === null;
      return Response.json({
        ...(isNothing ? plusMeant(context.query, ["pattern", "prefix", "glob"]) : {}),
        data: files.map((each) => picked(matchedFileRecord(each), fields)),
        is_partial: isPartial,
        next_cursor: grepCursor.write(next),
      });
    },
  });
}

function matchedFileRecord({ file, matches, hasMore }: MatchedFile): t.RecordOf<typeof matchedFileSchema> {
  return {
    ...fileRecord(file),
    matches: matches.map(({ line, text, before, after }) => ({
      line_number: line,
      line: text,
      before,
      after,
    })),
    has_more_matches: hasMore,
  };
}
