import { median, rounded, summary } from "./figures.ts";

/** Who is measured, in the order of the table's columns. */
export const PEER_NAMES = ["Coffer", "PocketBase", "nginx", "bare Bun"] as const;

export type PeerName = (typeof PEER_NAMES)[number];

/** What Coffer's median may be: a number, or with `of` so many times what a peer has in the same run. */
export type Reach = ({ readonly atMost: number } | { readonly atLeast: number }) & { readonly of?: PeerName };

/** One line of the table. */
export interface Measure {
  /** What is measured, in what unit, and how the peers differ. */
  readonly name: string;
  /** Missing for what is only shown. */
  readonly reach?: Reach;
}

/** What was measured for one line: all values of each peer. */
export type Values = Readonly<Partial<Record<PeerName, readonly number[]>>>;

/** What the verdict on a line can be: `unknown` if Coffer or the peer it is compared with was not measured. */
export type Verdict = "held" | "missed" | "unknown" | "none";

export function verdictOn({ reach }: Measure, values: Values): Verdict {
  if (reach === undefined) return "none";
  const ours = median(values.Coffer ?? []);
  const times = reach.of === undefined ? 1 : median(values[reach.of] ?? []);
  const bound = times * ("atMost" in reach ? reach.atMost : reach.atLeast);
  if (Number.isNaN(ours) || Number.isNaN(bound)) return "unknown";
  return ("atMost" in reach ? ours <= bound : ours >= bound) ? "held" : "missed";
}

function reachText(reach: Reach | undefined): string {
  if (reach === undefined) return "";
  const bound = "atMost" in reach ? `at most ${rounded(reach.atMost)}` : `at least ${rounded(reach.atLeast)}`;
  return reach.of === undefined ? bound : `${bound} x ${reach.of}`;
}

const VERDICTS: Readonly<Record<Verdict, string>> = { held: "yes", missed: "**no**", unknown: "?", none: "" };

/** The head of the table and the line under it. */
export function tableHead(): string {
  const columns = ["Measure", ...PEER_NAMES, "Reach", "Held"];
  return [columns, columns.map(() => "---")].map(tableLine).join("\n");
}

/** The line of a measure: medians, with least and most in brackets. */
export function tableRow(measure: Measure, values: Values): string {
  const cells = PEER_NAMES.map((peer) => {
    const measured = values[peer] ?? [];
    return measured.length === 0 ? "" : summary(measured);
  });
  return tableLine([measure.name, ...cells, reachText(measure.reach), VERDICTS[verdictOn(measure, values)]]);
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

const BEGIN = "<!-- bench: the table is made by a script, see test/README.md -->";
const END = "<!-- end of bench -->";

/** The text with this table between the two markers in it. Throws if it has no markers. */
export function withTable(text: string, table: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`there are no lines "${BEGIN}" and "${END}"`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
