import { expect, test } from "bun:test";
import { COLOURS, INK, type Panel, plot } from "./plot.ts";

const PANELS: readonly Panel[] = [
  {
    title: "A page, ms <first & others>",
    across: "files",
    curves: [
      {
        name: "flat",
        points: [
          [1000, 2],
          [10_000, 2],
          [100_000, 2],
        ],
      },
      {
        name: "as many",
        points: [
          [1000, 1],
          [100_000, 100],
        ],
      },
    ],
  },
  { title: "Memory, MB", across: "streams", curves: [{ name: "all", points: [[10, 64.26]] }] },
];

/** The places of the curves' points, in the order in which they were drawn. */
function places(svg: string): number[][][] {
  return [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = ""]) =>
    points.split(" ").map((place) => place.split(",").map(Number)),
  );
}

test("what does not grow lies flat, and what grows with the number of things climbs as the dotted line does", () => {
  const svg = plot(PANELS);
  const [flat = [], asMany = [], single = []] = places(svg);
  expect(flat.map(([, y]) => y)).toEqual(Array(3).fill(flat[0]?.[1]));
  const [[left, low] = [], [right, high] = []] = asMany;
  expect(flat.map(([x]) => x)).toEqual([left, ((left ?? 0) + (right ?? 0)) / 2, right]);
  expect(svg).toContain(`<path d="M${left} ${low}L${right} ${high}" stroke="${INK}" stroke-dasharray`);
  expect(single).toHaveLength(1);
});

test("a plot names what it shows, and the last value of each curve", () => {
  const svg = plot(PANELS);
  const said = [...svg.matchAll(/<text [^>]*>([^<]*)/g)].map(([, text]) => text);
  for (const text of [
    "A page, ms &lt;first &amp; others&gt;",
    "files",
    "flat",
    "as many",
    "2",
    "100",
    "64.3",
    "100k",
  ]) {
    expect(said).toContain(text);
  }
});

test("a plot is XML without scripts, styles or anything from elsewhere", async () => {
  const svg = plot(PANELS);
  const elements: string[] = [];
  await new HTMLRewriter()
    .on("*", { element: ({ tagName }) => void elements.push(tagName) })
    .transform(new Response(svg))
    .text();
  expect([...new Set(elements)].toSorted()).toEqual([
    "circle",
    "g",
    "path",
    "polyline",
    "svg",
    "text",
    "title",
  ]);
  expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toContain("//");
});

test.each([INK, ...COLOURS])("%s is readable on white and on a dark page", (colour) => {
  for (const ground of ["#ffffff", "#0d1117"]) expect(contrast(colour, ground)).toBeGreaterThan(4);
});

test("the plot in the manual is the one that is drawn, and small", async () => {
  const docs = `${import.meta.dir}/../../../.github/docs`;
  const drawn = Bun.file(`${docs}/scale.svg`);
  expect(await Bun.file(`${docs}/scale.md`).text()).toContain("](scale.svg)");
  expect(drawn.size).toBeLessThan(30_000);
  expect(await drawn.text()).toStartWith(plot([]).slice(0, 40));
});

/** WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
