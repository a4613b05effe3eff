import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { FileSign } from "../../components/file-sign.tsx";
import { Marked } from "../../components/marked.tsx";
import { Name } from "../../components/name.tsx";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { parentOf } from "../../lib/files.ts";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { recordsWithFoundLetters } from "../../lib/contents/missing-letters.ts";
import { markContent, markName, type Term, termsOf } from "../../lib/words/matches.ts";
import { Link } from "../../lib/browser/router.tsx";
import { useSeen } from "../../lib/browser/seen.ts";
import { pageAddress } from "../../lib/searches.ts";
import type { Drive, FoundFile, SearchAnswer } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";

/** Of a file; it may have 64, each as long as a line. */
const MOST_TAGS = 8;

/** What an answer needs beside itself to be shown: what was asked, which may be another thing by now. */
export interface Found {
  readonly q: string;
  readonly query: URLSearchParams;
  readonly answer: SearchAnswer;
}

/** One page of the results. */
export function Results({ found, drives }: { readonly found: Found; readonly drives: readonly Drive[] }) {
  const { data, total, page, limit } = found.answer;
  const terms = useMemo(() => termsOf(found.q), [found.q]);
  const shownFiles = useMemo(() => recordsWithFoundLetters(data), [data]);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useLayoutEffect(() => {
    if (shown.current !== page) heading.current?.focus();
    shown.current = page;
  }, [page]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} class="search-total">
        <span role="status">{totalOf(found.answer)}</span>
      </h2>
      <ol class="list results">
        {data.map((file, at) => (
          <Result
            key={file.id}
            file={file}
            shown={shownFiles[at] ?? file}
            terms={terms}
            drive={drives.find(({ id }) => id === file.drive_id)}
          />
        ))}
      </ol>
      {total > limit && <Pages query={found.query} page={page} pages={Math.ceil(total / limit)} />}
    </>
  );
}

/** How many were found. */
function totalOf({ total, total_is_exact: isExact, is_relaxed: isRelaxed }: SearchAnswer): string {
  const files = isExact
    ? plural(total, "{count} file", "{count} files")
    : plural(total, "At least {count} file", "At least {count} files");
  return isRelaxed
    ? t("{files} found, with most of the words: no file has all", { files })
    : t("{files} found", { files });
}

interface ResultProps {
  readonly file: FoundFile;
  /** The same with the texts that are shown. */
  readonly shown: FoundFile;
  readonly terms: readonly Term[];
  /** Undefined where it was made or taken away meanwhile. */
  readonly drive: Drive | undefined;
}

function Result({ file, shown, terms, drive }: ResultProps) {
  const place = drive?.slug ?? file.drive_id;
  const folder = parentOf(file.path);
  return (
    <li class="result">
      <Sign file={file} />
      <div class="result-what">
        <h3>
          <Link to={fileAddress(place, folder, file.id)}>
            <Marked pieces={markName(shown.filename, terms)} />
          </Link>
        </h3>
        <p class="soft result-place">
          {rich("in {place}", {
            place: (
              <Link to={folderAddress(place, folder)}>
                <Name text={drive?.name ?? t("Unknown drive")} />
                {folder !== "" && (
                  <>
                    {" / "}
                    <Marked
                      pieces={markName(parentOf(shown.path).slice(0, -1).replaceAll("/", " / "), terms)}
                    />
                  </>
                )}
              </Link>
            ),
          })}
        </p>
        {shown.snippet !== null && (
          <p class="snippet">
            <Marked pieces={markContent(shown.snippet, terms)} />
          </p>
        )}
        <Tags tags={shown.tags} terms={terms} />
        <p class="soft drive-facts">
          <span>{formatBytes(file.size)}</span>
          <span>{file.mime_type}</span>
          <span title={formatTime(file.updated_at)}>
            {t("modified {when}", { when: formatRelative(file.updated_at) })}
          </span>
        </p>
      </div>
    </li>
  );
}

/** What it looks like. It is drawn once it is in sight: a page of results is long. */
function Sign({ file }: Pick<ResultProps, "file">) {
  const { ref, isSeen } = useSeen<HTMLSpanElement>();
  return (
    <span ref={ref} class="result-sign">
      {isSeen && <FileSign file={file} size="medium" />}
    </span>
  );
}

interface TagsProps {
  readonly tags: readonly string[];
  readonly terms: readonly Term[];
}

/** Of many tags some, first those that were found. */
function Tags({ tags, terms }: TagsProps) {
  if (tags.length === 0) return null;
  const marked = tags.map((tag) => ({ pieces: markName(tag, terms) }));
  const isFound = ({ pieces }: (typeof marked)[number]) => pieces.some(({ found }) => found);
  const first = [...marked.filter(isFound), ...marked.filter((each) => !isFound(each))].slice(0, MOST_TAGS);
  return (
    <ul class="found-tags" aria-label={t("Tags")}>
      {first.map(({ pieces }, at) => (
        <li key={at} class="pill">
          <Marked pieces={pieces} />
        </li>
      ))}
      {tags.length > first.length && (
        <li class="soft">{plural(tags.length - first.length, "and {count} other", "and {count} others")}</li>
      )}
    </ul>
  );
}

interface PagesProps {
  readonly query: URLSearchParams;
  readonly page: number;
  readonly pages: number;
}

function Pages({ query, page, pages }: PagesProps) {
  return (
    <nav class="row pages" aria-label={t("Pages")}>
      {page > 1 && (
        <Link to={pageAddress(query, page - 1)} class="button">
          {t("Previous")}
        </Link>
      )}
      <span class="soft">{t("Page {page} of {pages}", { page, pages })}</span>
      {page < pages && (
        <Link to={pageAddress(query, page + 1)} class="button">
          {t("Next")}
        </Link>
      )}
    </nav>
  );
}
