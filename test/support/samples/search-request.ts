import { rangeOf } from "../../../src/db/files/files.ts";
import type { SearchRequest } from "../../../src/db/search/request.ts";
import { parseQuery } from "../../../src/domain/search/query.ts";

/** A search for words, without filters, of the first page. An empty `query` asks for all there is. */
export function searchRequest(drives: SearchRequest["drives"], query: string): SearchRequest {
  return {
    drives,
    terms: query === "" ? null : parseQuery("q", query),
    meaning: null,
    paths: rangeOf(""),
    filters: {
      tags: [],
      mimeType: null,
      minSize: null,
      maxSize: null,
      updatedFrom: null,
      updatedBefore: null,
    },
    offset: 0,
    limit: 50,
    now: Date.parse("2030-01-01T00:00:00Z"),
    budget: 5000,
  };
}
