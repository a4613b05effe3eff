import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Marked } from "../../components/marked.tsx";
import { Name } from "../../components/name.tsx";
import { fileAddress, folderAddress, parentOf } from "../../lib/files/place.ts";
import { formatBytes, formatCount, formatRelative, formatTime } from "../../lib/format.ts";
import { markContent, markName, type Term, termsOf } from "../../lib/matches.ts";
import { Link } from "../../lib/router.tsx";
import { pageAddress } from "../../lib/searches.ts";
import type { Drive, FoundFile, SearchAnswer } from "../../lib/types.ts";

/** What an answer needs beside itself to be shown: what was asked, which may be another thing by now. */
export interface Found {
  readonly q: string;
  readonly query: URLSearchParams;
  readonly answer: SearchAnswer;
}

/** One page of the results. */
export function Results({ found, drives }: { readonly found: Found; readonly drives: readonly Drive[] }) {
  const { data, total, page, limit } = found.answer;
  const count = formatCount(total, "file");
  const terms = useMemo(() => termsOf(found.q), [found.q]);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useLayoutEffect(() => {
    if (shown.current !== page) heading.current?.focus();
    shown.current = page;
  }, [page]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} class="search-total">
        <span role="status">{found.answer.total_is_exact ? count : `At least ${count}`} found</span>
      </h2>
      <ol class="list results">
        {data.map((file) => (
          <Result
            key={file.id}
            file={file}
            terms={terms}
            drive={drives.find(({ id }) => id === file.drive_id)}
          />
        ))}
      </ol>
      {total > limit && <Pages query={found.query} page={page} pages={Math.ceil(total / limit)} />}
    </>
  );
}

interface ResultProps {
  readonly file: FoundFile;
  readonly terms: readonly Term[];
  /** Undefined where it was made or taken away meanwhile. */
  readonly drive: Drive | undefined;
}

function Result({ file, terms, drive }: ResultProps) {
  const place = drive?.slug ?? file.drive_id;
  const folder = parentOf(file.path);
  return (
    <li class="result">
      <h3>
        <Link to={fileAddress(place, folder, file.id)}>
          <Marked pieces={markName(file.filename, terms)} />
        </Link>
      </h3>
      <p class="soft result-place">
        in{" "}
        <Link to={folderAddress(place, folder)}>
          <Name text={drive?.name ?? "Unknown drive"} />
          {folder !== "" && (
            <>
              {" / "}
              <Marked pieces={markName(folder.slice(0, -1).replaceAll("/", " / "), terms)} />
            </>
          )}
        </Link>
      </p>
      {file.snippet !== null && (
        <p class="snippet">
          <Marked pieces={markContent(file.snippet, terms)} />
        </p>
      )}
      {file.tags.length > 0 && (
        <ul class="found-tags" aria-label="Tags">
          {file.tags.map((tag) => (
            <li key={tag} class="pill">
              <Marked pieces={markName(tag, terms)} />
            </li>
          ))}
        </ul>
      )}
      <p class="soft drive-facts">
        <span>{formatBytes(file.size)}</span>
        <span>{file.mime_type}</span>
        <span title={formatTime(file.updated_at)}>modified {formatRelative(file.updated_at)}</span>
      </p>
    </li>
  );
}

interface PagesProps {
  readonly query: URLSearchParams;
  readonly page: number;
  readonly pages: number;
}

function Pages({ query, page, pages }: PagesProps) {
  return (
    <nav class="row pages" aria-label="Pages">
      {page > 1 && (
        <Link to={pageAddress(query, page - 1)} class="button">
          Previous
        </Link>
      )}
      <span class="soft">
        Page {page.toLocaleString()} of {pages.toLocaleString()}
      </span>
      {page < pages && (
        <Link to={pageAddress(query, page + 1)} class="button">
          Next
        </Link>
      )}
    </nav>
  );
}
