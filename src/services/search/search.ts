import { UnavailableBlob } from "../../blobs/blob-place.ts";
import { rangeOf } from "../../db/files/files.ts";
import { IndexDamaged } from "../../db/search/index-tables.ts";
import type { SearchFilters, SearchFound, SearchHit, SearchRequest } from "../../db/search/request.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import { invalid } from "../../domain/errors.ts";
import { type File, parseTagFilter } from "../../domain/files/file.ts";
import type { DrivePk } from "../../domain/id.ts";
import { once } from "../../domain/once.ts";
import { essenceOf, parseMediaType } from "../../domain/contents/media-type.ts";
import { narrowed, parsePrefix } from "../../domain/files/path.ts";
import { requiredOf } from "../../domain/search/common-words.ts";
import { parseQuery, type SearchTerm } from "../../domain/search/query.ts";
import { bytesToEndOf, sliceAt } from "../../domain/search/slices.ts";
import { parseInstant } from "../../domain/time.ts";
import { DURATIONS, Histogram } from "../../process/histogram.ts";
import { traced } from "../../tracing/traced.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { Turns } from "../turns.ts";
import type { Indexer } from "./indexer.ts";
import type { QueryVectors } from "./query-vectors.ts";
import { readSearchedText } from "./searched-text.ts";

/** How long the steps of a search may take, in milliseconds. */
export interface SearchTimes {
  /** Waiting until recent writes are indexed. */
  readonly settle: number;
  /** Waiting for what the words mean, meanwhile; without that it goes by the words alone. */
  readonly vector: number;
  /** Finding files, after that. */
  readonly budget: number;
  /** Making snippets; files after that get none. */
  readonly snippets: number;
}

const TIMES: SearchTimes = { settle: 1500, vector: 1000, budget: 5000, snippets: 5000 };

/** A search request; null where something is not given. */
export interface SearchQuery extends Pick<SearchFilters, "tags" | "minSize" | "maxSize"> {
  readonly q: string | null;
  readonly driveId: string | null;
  readonly prefix: string | null;
  /** A media type, or `type/*`. */
  readonly mimeType: string | null;
  readonly updatedAfter: string | null;
  readonly updatedBefore: string | null;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

interface Finding {
  readonly file: File;
  /** How well it matches, 0 to 1; 0 if only filters were given. */
  readonly score: number;
  /** The matching passage of its text; null if only its names match, or there was no time. */
  readonly snippet: string | null;
}

const NOTHING = { findings: [], total: 0, isExact: true, isRelaxed: false };

/** Finds files by name, tags and text, in the drives that the caller may see. */
export class Search extends Service<
  Pick<Parts, "tables" | "blobs" | "damaged" | "access" | "clock" | "log" | "tracer"> & {
    indexer: Indexer;
    queryVectors: QueryVectors;
    /** Overrides the default timeouts. */
    searchTimes?: SearchTimes | undefined;
  }
> {
  readonly #times = this.parts.searchTimes ?? TIMES;
  readonly #turns = new Turns<"snippet">();
  /** How long searches took since the start, those that failed too; in seconds. */
  readonly durations = new Histogram(DURATIONS);

  /** One page, best first. Throws NOT_FOUND for the drive, VALIDATION_ERROR, RATE_LIMITED. */
  async find(caller: Caller, query: SearchQuery) {
    const began = performance.now();
    try {
      return await traced(this.parts.tracer, "search", () => this.#find(caller, query));
    } finally {
      this.durations.observe((performance.now() - began) / 1000);
    }
  }

  async #find(caller: Caller, query: SearchQuery) {
    const { access, indexer, clock } = this.parts;
    const terms = query.q === null || query.q.trim() === "" ? null : parseQuery("q", query.q);
    const asked = query.prefix === null ? "" : parsePrefix("prefix", query.prefix);
    const filters = parseFilters(query);
    if (terms === null && !hasFilter(query)) throw invalid("q", "or a filter must be given");
    const found = query.driveId === null ? access.drives(caller) : [access.drive(caller, query.driveId)];
    const [first] = found;
    // A caller with a prefix sees one drive.
    const prefix = first === undefined ? null : narrowed(asked, access.prefixOf(caller, first));
    const drives = found.map(({ pk }) => pk);
    if (terms?.length === 0 || prefix === null) return NOTHING;
    const meaning = terms === null ? null : this.parts.queryVectors.of(query.q ?? "", this.#times.vector);
    if (terms !== null) {
      // Behind a long backlog the wait would be in vain.
      if (indexer.isNear(drives)) await indexer.settle(drives, this.#times.settle);
      else indexer.wake();
    }
    const { page, limit } = query;
    const { hits, ...counted } = await this.#hits({
      drives,
      terms,
      meaning: await meaning,
      paths: rangeOf(prefix),
      filters,
      limit,
      offset: (page - 1) * limit,
      now: clock.now(),
      budget: this.#times.budget,
    });
    const findings = await this.#findings(
      caller,
      hits,
      new Set(drives),
      terms === null ? [] : requiredOf(terms),
    );
    return { findings, ...counted };
  }

  async #hits(request: SearchRequest): Promise<SearchFound> {
    const { tables, indexer } = this.parts;
    try {
      return await tables.searches.find(request);
    } catch (error) {
      if (error instanceof IndexDamaged) indexer.remake();
      throw error;
    }
  }

  /** The current records of the hits, without files that have been removed or moved out of these drives. */
  async #findings(
    caller: Caller,
    hits: readonly SearchHit[],
    drives: ReadonlySet<DrivePk>,
    terms: readonly SearchTerm[],
  ): Promise<Finding[]> {
    const { tables, access, clock } = this.parts;
    const end = performance.now() + this.#times.snippets;
    const findings: Finding[] = [];
    for (const { file: pk, score, slice, near, passage } of hits) {
      const file = tables.files.visibleByPk(pk, clock.now());
      if (file === null || !drives.has(file.drivePk) || !access.sees(caller, file)) continue;
      // The text of a document is in the index; what is its content says nothing.
      if ((slice === null && near === null) || documentFormatOf(file.mimeType) !== null) {
        findings.push({ file, score, snippet: passage });
        continue;
      }
      // One at a time: each may need megabytes for a moment, so parallel searches need no more than one.
      const snippet = await this.#turns.take("snippet", async () =>
        performance.now() > end ? null : this.#snippet(file, { slice, near: near ?? 0 }, terms),
      );
      findings.push({ file, score, snippet });
    }
    return findings;
  }

  /** Not at the start: the stems of all languages come with it. */
  readonly #loadSnippets = once(() => import("../../domain/search/snippets.ts"));

  async #snippet(
    file: File,
    { slice, near }: { slice: number | null; near: number },
    terms: readonly SearchTerm[],
  ): Promise<string | null> {
    const { blobs, damaged, log } = this.parts;
    try {
      const text = await damaged.readFor(file, () =>
        readSearchedText(blobs, file, bytesToEndOf(slice ?? sliceAt(near))),
      );
      if (text === null) return null;
      const { passageAt, snippetOf } = await this.#loadSnippets();
      return slice === null ? passageAt(text, near) : snippetOf(text, slice, terms);
    } catch (error) {
      // The file is shown even if its content is damaged, or cannot be reached, which is logged once elsewhere.
      if (!(error instanceof UnavailableBlob))
        log.error("no snippet could be made", { file: file.id, error });
      return null;
    }
  }
}

function hasFilter(query: SearchQuery): boolean {
  const { prefix, tags, mimeType, minSize, maxSize, updatedAfter, updatedBefore } = query;
  const given = [prefix, mimeType, minSize, maxSize, updatedAfter, updatedBefore];
  return tags.length > 0 || given.some((filter) => filter !== null && filter !== "");
}

function parseFilters(query: SearchQuery): SearchFilters {
  const { tags, mimeType, minSize, maxSize, updatedAfter, updatedBefore } = query;
  return {
    tags: parseTagFilter("tags", tags),
    minSize,
    maxSize,
    mimeType: mimeType === null ? null : parseTypePattern("mime_type", mimeType),
    updatedFrom: updatedAfter === null ? null : parseInstant("updated_after", updatedAfter),
    updatedBefore: updatedBefore === null ? null : parseInstant("updated_before", updatedBefore),
  };
}

/** A type without its parameters; of `type/*` the part before the star. */
function parseTypePattern(field: string, text: string): string {
  const isWhole = !text.endsWith("/*");
  const type = essenceOf(parseMediaType(field, isWhole ? text : `${text.slice(0, -1)}any`));
  if (type.includes("*")) throw invalid(field, "must be a media type, or one such as image/*");
  return isWhole ? type : type.slice(0, type.indexOf("/") + 1);
}
