import { useMemo } from "preact/hooks";
import type { Table } from "../../lib/contents/csv.ts";
import { startOfText } from "../../lib/contents/long-text.ts";
import { sentenceSpace } from "../../lib/words/format.ts";
import { plural, t } from "../../lib/words/text.ts";
import { MoreText } from "../name.tsx";
import { Careful } from "./careful.tsx";

/** What of a table is shown; the row with the names is one more. */
export const MOST_ROWS = 1000;
export const MOST_COLUMNS = 100;
/** More take a browser seconds to lay out. */
const MOST_CELLS = 10_000;
const MOST_CHARACTERS = 100_000;
const MOST_IN_CELL = 1000;
/** A longer one is laid out when it is in sight. */
const LONG_CELL = 60;

/** The first rows of a table. Its first row names the columns. */
export function TableView({ table }: { readonly table: Table }) {
  const { rows, isCut } = useMemo(() => startOf(table), [table]);
  const [names = [], ...records] = rows;
  const isWide = rows.some((row) => row.length > MOST_COLUMNS);
  return (
    <>
      {(isCut || isWide) && (
        <Careful>
          {isCut &&
            plural(records.length, "Showing the first {count} row.", "Showing the first {count} rows.")}
          {sentenceSpace()}
          {isWide && t("Showing only {count} columns.", { count: MOST_COLUMNS })}
        </Careful>
      )}
      <div class="preview-body" tabIndex={0} role="region" aria-label={t("Table")}>
        <table class="preview-table">
          <thead>
            <tr>
              <td aria-label={t("Row")} />
              {names.slice(0, MOST_COLUMNS).map((name, at) => (
                <th key={at} scope="col">
                  <Cell text={name} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record, row) => (
              <tr key={row}>
                <th scope="row">{row + 1}</th>
                {record.slice(0, MOST_COLUMNS).map((cell, at) => (
                  <td key={at}>
                    <Cell text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Cell({ text }: { readonly text: string }) {
  if (text.length <= LONG_CELL) return <>{text}</>;
  const { shown, left } = startOfText(text, MOST_IN_CELL);
  return (
    <div class="preview-long-cell">
      {shown}
      <MoreText left={left} />
    </div>
  );
}

/** The rows that are shown, after the one with the names. */
function startOf({ rows, isCut }: Table): Table {
  let cells = 0;
  let characters = 0;
  const past = rows.findIndex((row, at) => {
    const shown = row.slice(0, MOST_COLUMNS);
    cells += shown.length;
    characters += shown.reduce((sum, { length }) => sum + Math.min(length, MOST_IN_CELL), 0);
    return at > 1 && (cells > MOST_CELLS || characters > MOST_CHARACTERS);
  });
  const most = past === -1 ? rows.length : past;
  return { rows: rows.slice(0, most), isCut: isCut || rows.length > most };
}
