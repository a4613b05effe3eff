/** One figure: what was measured, and what it may be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number };
  /** The raw measurements. */
  readonly note: string;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
export async function time(work: () => unknown): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** Prints a figure as a line; one beyond its limit makes the process end with an error. */
export function report(figure: Figure): void {
  process.stdout.write(`${rowOf(figure)}\n`);
  if (isMissed(figure)) process.exitCode = 1;
}

function isMissed({ value, limit }: Figure): boolean {
  if (limit === undefined) return false;
  return "atMost" in limit ? value > limit.atMost : value < limit.atLeast;
}

function rowOf(figure: Figure): string {
  const { name, value, unit, limit, note } = figure;
  const bound =
    limit === undefined ? "" : "atMost" in limit ? `<= ${limit.atMost}` : `>= ${limit.atLeast.toFixed(2)}`;
  const measured = `${value.toFixed(2)} ${unit}`;
  return `${name.padEnd(62)}${measured.padStart(11)}  ${bound.padEnd(8)}${isMissed(figure) ? "MISSED " : "       "}${note}`;
}
