import { Histogram } from "../../process/histogram.ts";

export type Labels = Readonly<Record<string, string>>;

/** A metric and its values, one for each of its label sets. */
export interface Family {
  /** Of a counter without `_total`, of an info without `_info`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "info";
  /** What it is, in one line. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

export type Sample = readonly [value: number | Histogram, labels?: Labels];

/** A value, a list of samples, or null where there is nothing to tell now. */
export type Told = number | Histogram | readonly Sample[] | null;

export const counter = (name: string, help: string, told: Told) => family(name, "counter", help, told);

export const gauge = (name: string, help: string, told: Told) => family(name, "gauge", help, told);

export const histogram = (name: string, help: string, told: Told) => family(name, "histogram", help, told);

/** @param labels what is told */
export const info = (name: string, help: string, labels: Labels) => family(name, "info", help, [[1, labels]]);

/** A sample for each entry of a record. @param label what its names are */
export function each(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => [value, { [label]: name }]);
}

function family(name: string, type: Family["type"], help: string, told: Told): Family {
  const samples: readonly Sample[] =
    told === null ? [] : typeof told === "number" || told instanceof Histogram ? [[told]] : told;
  return { name, type, help, samples };
}

/** The lines of a family, a few in each piece. */
export function* linesOf(
  { name, type, help, samples }: Family,
  isOpenMetrics: boolean,
): Generator<string, void> {
  const sampled = type === "counter" ? `${name}_total` : type === "info" ? `${name}_info` : name;
  const [described, typed] = isOpenMetrics ? [name, type] : [sampled, type === "info" ? "gauge" : type];
  yield `# HELP ${described} ${help}\n# TYPE ${described} ${typed}\n`;
  for (const [value, labels = {}] of samples) {
    yield value instanceof Histogram
      ? histogramLines(name, value, labels, isOpenMetrics)
      : `${sampled}${labelled(labels)} ${numberText(value)}\n`;
  }
}

function histogramLines(
  name: string,
  { bounds, counts, sum }: Histogram,
  labels: Labels,
  isOpenMetrics: boolean,
): string {
  let lines = "";
  let count = 0;
  for (const [at, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
    count += counts[at] ?? 0;
    // OpenMetrics wants its bounds to look like numbers with a point.
    const le = isOpenMetrics && Number.isInteger(bound) ? `${bound}.0` : numberText(bound);
    lines += `${name}_bucket${labelled({ ...labels, le })} ${count}\n`;
  }
  return `${lines}${name}_sum${labelled(labels)} ${numberText(sum)}\n${name}_count${labelled(labels)} ${count}\n`;
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);
}
