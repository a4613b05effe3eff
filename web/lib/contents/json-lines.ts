import type { Table } from "./csv.ts";
import { type JsonNode, meantBy, parseJson } from "./json.ts";

/** The column of values that are no objects. */
const VALUE = "value";

/**
 * Reads the first `mostRows` objects of a text with one on each line, as a table: of each object its members, in columns that
 * have their names. Null where a line is no JSON. More than `mostColumns` columns and one are left out.
 */
export function parseJsonLines(text: string, mostRows: number, mostColumns: number): Table | null {
  const names = new Map<string, number>();
  const records: (readonly (readonly [column: number, value: string])[])[] = [];
  let isCut = false;
  for (let start = 0; start < text.length && !isCut;) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === "") continue;
    const node = parseJson(line);
    if (node === null) return null;
    if (records.length === mostRows) isCut = true;
    else records.push(cellsOf(node, names, mostColumns));
  }
  const rows = records.map((cells) => {
    const row = Array<string>(names.size).fill("");
    for (const [column, value] of cells) row[column] = value;
    return row;
  });
  return { rows: [[...names.keys()], ...rows], isCut };
}

function cellsOf(node: JsonNode, names: Map<string, number>, mostColumns: number): [number, string][] {
  const members = node.text.startsWith("{") ? (node.children ?? []) : [{ ...node, name: null }];
  return members.flatMap((member): [number, string][] => {
    const name = member.name === null ? VALUE : meantBy({ text: member.name });
    const column = names.get(name) ?? names.size;
    if (column > mostColumns) return [];
    names.set(name, column);
    return [[column, meantBy(member)]];
  });
}
