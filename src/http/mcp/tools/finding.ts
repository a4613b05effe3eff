import { Type } from "@sinclair/typebox";
import type { Drive } from "../../../domain/drive.ts";
import type { Finding } from "../../../services/search/search.ts";
import { SEARCH_RESULTS } from "../bounds.ts";
import { driveNamed } from "../drive-named.ts";
import type { McpOptions } from "../options.ts";
import { fileShown, shownFile } from "../shown.ts";
import { type Tool, tool } from "../tool.ts";
import { fileAddress } from "../file-address.ts";

const { tags: _, ...found } = shownFile;

/** Finds files. */
export function searchTools({ services, linkBase }: McpOptions): Tool[] {
  const { drives, search } = services;
  return [
    tool(
      {
        name: "search",
        title: "Search files",
        description:
          'Finds files by words in their names, folders, tags and text, best matches first. All words must match; "..." is a phrase. Searches all your drives, unless you name one. To find the lines that match a pattern, use grep. To read a result, pass its drive and path to read_file, or its id to fetch.',
        needs: "reading",
        input: Type.Object({
          query: Type.String({ minLength: 1, description: 'Words, and phrases in "...".' }),
          drive: Type.Optional(
            Type.String({ minLength: 1, description: "Only this drive. Default: all your drives." }),
          ),
          prefix: Type.Optional(Type.String({ description: "Only paths that start so, such as notes/." })),
          tags: Type.Optional(
            Type.Array(Type.String(), { description: "Only files with all of these tags." }),
          ),
          mime_type: Type.Optional(
            Type.String({ description: "Only this type.", examples: ["image/*", "application/pdf"] }),
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
        const page = input.page ?? 1;
        const drive = input.drive === undefined ? null : driveNamed(drives, caller, input.drive);
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
          limit: SEARCH_RESULTS,
        });
        const base = linkBase(context);
        const results = findings.map((finding) =>
          resultOf(finding, drive ?? drives.get(caller, finding.file.driveId), base),
        );
        const more = page * SEARCH_RESULTS < total ? { next_page: page + 1 } : {};
        return { structured: { results, total, ...more } };
      },
    ),
  ];
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
