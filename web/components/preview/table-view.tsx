import { useMemo } from "preact/hooks";
import { parseCsv } from "../../lib/csv.ts";

const MOST_ROWS = 1000;
const MOST_COLUMNS = 100;

/** The start of comma-separated values, the first row as the columns' names. */
export function TableView({ text }: { readonly text: string }) {
  // One row more for the names.
  const { rows, isCut } = useMemo(() => parseCsv(text, MOST_ROWS + 1), [text]);
  const [names = [], ...records] = rows;
  const isWide = rows.some((row) => row.length > MOST_COLUMNS);
  return (
    <>
      {(isCut || isWide) && (
        <p class="notice careful preview-note">
          {isCut && `These are the first ${MOST_ROWS.toLocaleString()} rows. `}
          {isWide && `Only ${MOST_COLUMNS} columns are shown.`}
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
