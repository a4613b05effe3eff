import { useMemo } from "preact/hooks";
import { parseCsv, type Table } from "../../lib/csv.ts";

const MOST_ROWS = 1000;
const MOST_COLUMNS = 100;
/** More take a browser seconds to lay out. */
const MOST_CELLS = 20_000;

/** The first rows of a CSV file. Its first row names the columns. */
export function TableView({ text }: { readonly text: string }) {
  const { rows, isCut } = useMemo(() => startOf(text), [text]);
  const [names = [], ...records] = rows;
  const isWide = rows.some((row) => row.length > MOST_COLUMNS);
  return (
    <>
      {(isCut || isWide) && (
        <p class="notice careful preview-note">
          {isCut && `Showing the first ${records.length.toLocaleString()} rows. `}
          {isWide && `Showing only ${MOST_COLUMNS} columns.`}
        </p>
      )}
      <div class="preview-body" tabIndex={0} role="region" aria-label="Table">
        <table class="preview-table">
          <thead>
            <tr>
              <td aria-label="Row" />
              {names.slice(0, MOST_COLUMNS).map((name, at) => (
                <th key={at} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record, row) => (
              <tr key={row}>
                <th scope="row">{row + 1}</th>
                {record.slice(0, MOST_COLUMNS).map((cell, at) => (
                  <td key={at}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The rows that are shown, after the one with the names. */
function startOf(text: string): Table {
  const { rows, isCut } = parseCsv(text, MOST_ROWS + 1);
  const columns = Math.min(MOST_COLUMNS, Math.max(...rows.map(({ length }) => length)));
  const most = Math.floor(MOST_CELLS / columns) + 1;
  return { rows: rows.slice(0, most), isCut: isCut || rows.length > most };
}
