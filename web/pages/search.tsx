import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { call } from "../lib/api/api.ts";
import { listDrives } from "../lib/drives.ts";
import { useLoad } from "../lib/api/load.ts";
import { Link, usePlace } from "../lib/browser/router.tsx";
import { apiQuery, FILTERS } from "../lib/searches.ts";
import type { Drive, SearchAnswer } from "../lib/api/types.ts";
import { sentenceSpace } from "../lib/words/format.ts";
import { rich, t } from "../lib/words/text.ts";
import { type Found, Results } from "./search/results.tsx";
import { SearchForm } from "./search/search-form.tsx";

/** Searches the files of all drives; the search is in the address. */
export function Search() {
  const { query } = usePlace();
  const drives = useLoad("drives", listDrives);
  const asked = apiQuery(query);
  const { loaded, reload } = useLoad(String(asked), async (signal): Promise<Found | null> => {
    if (asked === null) return null;
    const answer = await call<SearchAnswer>("GET", `/v0/search?${asked}`, { signal });
    return { q: query.get("q") ?? "", query, answer };
  });
  const all = drives.loaded.state === "ready" ? drives.loaded.value : [];
  return (
    <>
      <div class="page-head">
        <h1>{t("Search")}</h1>
      </div>
      <SearchForm query={query} drives={all} />
      {drives.loaded.state === "failed" && <Failure error={drives.loaded.error} retry={drives.reload} />}
      {asked === null && <NothingAsked hasDrives={all.length > 0} />}
      {asked !== null && loaded.state === "loading" && <p class="soft">{t("Searching…")}</p>}
      {asked !== null && loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {asked !== null && loaded.state === "ready" && loaded.value !== null && (
        <Outcome found={loaded.value} drives={all} />
      )}
    </>
  );
}

function Outcome({ found, drives }: { readonly found: Found; readonly drives: readonly Drive[] }) {
  const isFiltered = FILTERS.some((name) => found.query.has(name));
  if (found.answer.total > 0) return <Results found={found} drives={drives} />;
  return (
    <Empty svg={searchIcon} title={t("Nothing found")} isAnswer>
      <p class="soft">
        {t("Every word must match: whole words in file contents, parts of words in names.")}
        {sentenceSpace()}
        {isFiltered ? t("Try fewer words or fewer filters.") : t("Try fewer words.")}
      </p>
      {isFiltered && found.q !== "" && (
        <Link to={`/search?${new URLSearchParams({ q: found.q })}`} class="button">
          {t("Search without filters")}
        </Link>
      )}
    </Empty>
  );
}

function NothingAsked({ hasDrives }: { readonly hasDrives: boolean }) {
  return (
    <Empty svg={searchIcon} title={t("What are you looking for?")}>
      <p class="soft">
        {t("Search finds files by name, folder and tag, and by the contents of text files.")}
        {sentenceSpace()}
        {rich("Put {words} in quotation marks to find an exact phrase.", {
          words: <code>"{t("two words")}"</code>,
        })}
      </p>
      {!hasDrives && (
        <Link to="/drives" class="button">
          {t("Go to your drives")}
        </Link>
      )}
    </Empty>
  );
}
