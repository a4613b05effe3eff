import { Type } from "@sinclair/typebox";
import { PAGE_LIMIT_DEFAULT } from "../../../domain/limits.ts";
import { operation } from "../../operation/route.ts";
import { fileSchema, type FoundFilesPage, foundFilesSchema } from "../../records/record-schemas.ts";
import { fileRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { fieldsIn, fieldsParameter, namesIn, picked } from "../../records/fields.ts";
import type { Parts } from "../parts.ts";

const exampleAnswer = {
  data: [{ ...t.exampleOf(fileSchema), score: 0.64, snippet: "Hello World!" }],
  total: 1,
  total_is_exact: true,
  is_relaxed: false,
  page: 1,
  limit: PAGE_LIMIT_DEFAULT,
};

const FOUND_FIELDS = [...namesIn(fileSchema), "score", "snippet"];

export function search({ search: service }: Parts) {
  return operation("GET", "/v0/search", {
    operationId: "searchFiles",
    isList: true,
    tag: "Search",
    summary: "Search files",
    description: [
      "Searches filenames, folders, tags and, for text types, the first MiB of the content, in one drive or in all that the caller can access. Of documents (PDF, DOCX, XLSX, PPTX, ODT, EPUB, HTML) the text is searched, up to eight times as long as the document; that can take a few seconds after the upload. If reading a document takes too much time or memory, it is tried again a few times within hours, and is found by its name meanwhile. `q` or a filter is required; `drive_id` is not a filter.",
      "Case, accents and character width do not matter, and punctuation only separates words. In filenames, folders and tags, a word also matches inside other words (`voice` finds `invoice.pdf`). In contents only whole words match; the last word of `q` also matches the start of a word. A word also matches its other forms, in names as in contents (`dates` finds `date`, `running` finds `run`), but not inside quotation marks. That is so in English, and in Danish, Dutch, Finnish, French, German, Greek, Hungarian, Italian, Norwegian, Portuguese, Romanian, Russian, Spanish, Swedish and Turkish where the drive has texts in the language. In Japanese, Chinese, Thai and other text without spaces, any part matches.",
      "Ask as you would ask a person: words such as `how`, `the` and `to` need not match if there are others. If no file has all the other words, the files with most of them are found, where rare words count more, and `is_relaxed` is true. A file with less than half of what the best one has is left out. If the operator has set an embeddings endpoint, files whose texts mean what `q` means are found as well, up to 20; their scores then say where they stand.",
      "The best matches come first, then the most recently updated (or the shortest, if words were left out). If thousands of files match `q`, only some of them are compared: the newest, the most recently updated, and those whose filenames or tags match. A search also ends after it has read a lot, even if it found little. Then `total_is_exact` is false; use other words or more filters to find the others. Without `q`, the pages contain every file, most recently updated first, unless too few of very many files pass the filters.",
      "A search finds everything written before it, unless so much was written that indexing is behind; then files are found moments later.",
    ].join("\n\n"),
    query: Type.Object({
      q: t.optionalText(
        'The search text: at most 512 characters, and at most 16 words and phrases, besides words such as `the`. `"..."` is a phrase of at most 128 words (in text without spaces, 128 characters), found exactly as it stands. All must match; if no file has all, `is_relaxed` says so. The last word also matches as the start of a longer one.',
        'budget "third quarter"',
      ),
      drive_id: Type.Optional(t.driveRef("Default: all drives that the caller can access.")),
      prefix: t.prefix,
      tags: t.tagsFilter,
      mime_type: t.optionalText("Only this type, with any parameters. `image/*` matches all image types."),
      min_size: t.optionalNumber(0, "Bytes."),
      max_size: t.optionalNumber(0, "Bytes."),
      updated_after: Type.Optional(t.timeInput("Only files updated at this time or later.")),
      updated_before: Type.Optional(t.timeInput("Only files updated before this time.")),
      fields: fieldsParameter,
      ...t.paging,
    }),
    answers: { description: "A page of files.", json: foundFilesSchema, example: exampleAnswer },
    handle: async ({ query, caller }) => {
      const { page, limit } = query;
      const fields = fieldsIn(query.fields, FOUND_FIELDS);
      const { findings, total, isExact, isRelaxed } = await service.find(caller, {
        q: query.q ?? null,
        driveId: query.drive_id ?? null,
        prefix: query.prefix ?? null,
        tags: t.tagsIn(query.tags),
        mimeType: query.mime_type ?? null,
        minSize: query.min_size ?? null,
        maxSize: query.max_size ?? null,
        updatedAfter: query.updated_after ?? null,
        updatedBefore: query.updated_before ?? null,
        page,
        limit,
      });
      const data = findings.map(({ file, score, snippet }) => {
        const found: FoundFilesPage["data"][number] = { ...fileRecord(file), score, snippet };
        return picked(found, fields);
      });
      return Response.json({ data, total, total_is_exact: isExact, is_relaxed: isRelaxed, page, limit });
    },
  });
}
