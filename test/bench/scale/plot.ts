import { rounded } from "../figures.ts";

/** How one cost grows. */
export interface Curve {
  readonly name: string;
  /** Ascending in x; all are above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** One of the small plots: curves with the same unit, over the same thing. */
export interface Panel {
  /** What is measured, and its unit. */
  readonly title: string;
  /** What of there is more and more. */
  readonly across: string;
  /** Up to three. */
  readonly curves: readonly Curve[];
}

const COLUMNS = 2;
const [WIDTH, HEIGHT] = [410, 230];
/** Of the field in a panel, in its pixels. */
const FIELD = { left: 52, right: 66, top: 48, bottom: 40 };
/** Each is readable on white and on nearly black. */
export const COLOURS = ["#3578d4", "#c2600d", "#2d8a4b"] as const;
export const INK = "#75797f";

/**
 * Draws the panels as one SVG without script or fonts of its own. Both axes are logarithmic: what does not grow lies
 * flat, and what grows with the number of things climbs with the dotted line.
 */
export function plot(panels: readonly Panel[]): string {
  const [width, height] = [COLUMNS * WIDTH, Math.ceil(panels.length / COLUMNS) * HEIGHT];
  const drawn = panels.map((panel, n) => {
    const [x, y] = [(n % COLUMNS) * WIDTH, Math.floor(n / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panelOf(panel)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
  font-family="system-ui, sans-serif" font-size="11" fill="${INK}">
<title>How each cost grows</title>
${drawn.join("\n")}
</svg>
`;
}

type Scale = (value: number) => number;

function panelOf({ title, across, curves }: Panel): string {
  const points = curves.flatMap((curve) => curve.points);
  const [right, bottom] = [WIDTH - FIELD.right, HEIGHT - FIELD.bottom];
  const [columns, rows] = [decades(points.map(([x]) => x)), decades(points.map(([, y]) => y))];
  const x = scale(columns, FIELD.left, right);
  const y = scale(rows, bottom, FIELD.top);
  return [
    text(FIELD.left, 16, title, `font-size="13" font-weight="600"`),
    ...curves.map(({ name }, n) => legend(name, n, curves)),
    ...rows.map((at) => line([FIELD.left, y(at)], [right, y(at)])),
    ...rows.map((at) => text(FIELD.left - 6, y(at) + 4, short(at), `text-anchor="end"`)),
    ...columns.map((at) => text(x(at), bottom + 16, short(at), `text-anchor="middle"`)),
    text((FIELD.left + right) / 2, bottom + 32, across, `text-anchor="middle"`),
    proportional(columns, rows, x, y),
    ...curves.map((curve, n) => curveOf(curve, n, x, y)),
    ...ends(curves, y).map(({ at, said, n }) => text(right + 8, at + 4, said, `fill="${COLOURS[n]}"`)),
  ].join("\n");
}

/** The powers of ten around these values; at least two. */
function decades(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n));
}

function scale(ticks: readonly number[], from: number, to: number): Scale {
  const [least, most] = [Math.log10(ticks[0] ?? 1), Math.log10(ticks.at(-1) ?? 10)];
  return (value) => tenth(from + ((Math.log10(value) - least) / (most - least)) * (to - from));
}

/** What doubles when there is twice as much: from the lower left corner, as far as there is room. */
function proportional(columns: readonly number[], rows: readonly number[], x: Scale, y: Scale): string {
  const [left = 1, low = 1] = [columns[0], rows[0]];
  const times = Math.min((columns.at(-1) ?? 1) / left, (rows.at(-1) ?? 1) / low);
  return line(
    [x(left), y(low)],
    [x(left * times), y(low * times)],
    `stroke-dasharray="2 4" stroke-opacity="0.8"`,
  );
}

function curveOf({ points }: Curve, n: number, x: Scale, y: Scale): string {
  const path = points.map(([px, py]) => `${x(px)},${y(py)}`).join(" ");
  const marks = points.map(([px, py]) => mark(n, x(px), y(py))).join("");
  return `<polyline points="${path}" fill="none" stroke="${COLOURS[n]}" stroke-width="2"/>${marks}`;
}

/** Another shape for each curve of a panel, so that colours are not all that tells them apart. */
function mark(n: number, x: number, y: number): string {
  if (n === 0) return `<circle cx="${x}" cy="${y}" r="3.5" fill="${COLOURS[0]}"/>`;
  const shape = n === 1 ? `h6v6h-6z" transform="translate(-3 -3)` : `l4 7h-8z" transform="translate(0 -4)`;
  return `<path d="M${x} ${y}${shape}" fill="${COLOURS[n]}"/>`;
}

/** Names beside their marks, one after another above the field. */
function legend(name: string, n: number, curves: readonly Curve[]): string {
  const before = curves.slice(0, n).reduce((sum, curve) => sum + 26 + curve.name.length * 6.1, 0);
  const x = tenth(FIELD.left + 4 + before);
  return mark(n, x, 32) + text(x + 8, 36, name, `fill="${COLOURS[n]}"`);
}

/** The last value of each curve, beside its end but not over another one. */
function ends(curves: readonly Curve[], y: Scale) {
  const last = curves.flatMap(({ points }, n) => {
    const [, value] = points.at(-1) ?? [];
    return value === undefined ? [] : [{ at: y(value), said: rounded(value), n }];
  });
  let free = 0;
  return last
    .toSorted((a, b) => a.at - b.at)
    .map((end) => {
      const at = Math.max(end.at, free);
      free = at + 13;
      return { ...end, at };
    });
}

function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  more = `stroke-opacity="0.3"`,
): string {
  return `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${INK}" ${more}/>`;
}

function text(x: number, y: number, said: string, more: string): string {
  return `<text x="${tenth(x)}" y="${tenth(y)}" ${more}>${Bun.escapeHTML(said)}</text>`;
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `10`, `10k`, `1M`. */
function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  return value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(1)));
}
