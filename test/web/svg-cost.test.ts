import { describe, expect, test } from "bun:test";
import { isSimpleSvg } from "../../web/lib/contents/svg-cost.ts";

const svg = (body: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${body}</svg>`;

/** A picture that repeats a circle ten times, and that ten times, and so on. */
function nestedUse(levels: number, use = (id: string) => `<use href="#${id}"/>`): string {
  const groups = Array.from(
    { length: levels },
    (_, level) => `<g id="l${level + 1}">${use(`l${level}`).repeat(10)}</g>`,
  );
  return svg(`<defs><g id="l0"><circle r="5"/></g>${groups.join("")}</defs>${use(`l${levels}`)}`);
}

describe("a picture that holds the page when it is drawn is not simple", () => {
  test.each<[what: string, text: string]>([
    ["nested use", nestedUse(5)],
    ["nested use of a prefix", nestedUse(5, (id) => `<s:use x:href='#${id}'/>`)],
    ["nested use, its references written as numbers", nestedUse(5, (id) => `<use href="&#35;${id}"/>`)],
    ["patterns in patterns", nestedUse(5, (id) => `<rect fill="url(#${id})"/>`)],
    ["masks in a style", nestedUse(5, (id) => `<rect style="mask:url('#${id}')"/>`)],
    [
      "a chain of uses",
      svg(Array.from({ length: 30_000 }, (_, at) => `<use id="u${at}" href="#u${at + 1}"/>`).join("")),
    ],
    [
      "many filters",
      svg(`<filter id="f">${"<feTurbulence/>".repeat(50)}</filter>${'<g filter="url(#f)"/>'.repeat(9)}`),
    ],
    ["many elements", svg("<rect/>".repeat(120_000))],
    ["many animations", svg("<rect><animate/></rect>".repeat(2000))],
    ["many layers", svg('<g opacity="0.5"/>'.repeat(2000))],
    ["a picture in a picture", svg('<image href="data:image/svg+xml;base64,AA=="/>')],
    ["a long text", svg(`<text>a${"\u0301".repeat(300_000)}</text>`)],
    ["long texts", svg(`<text>${"\u0644".repeat(1900)}</text>`.repeat(100))],
    ["letters that few fonts have", svg(`<text>${"\u{12000}a".repeat(400)}</text>`.repeat(10))],
    ["the same as numbers", svg(`<text>${"&#73728;a".repeat(200)}</text>`.repeat(20))],
    ["a long shape that crosses itself", svg(`<polygon points="${"1,1 999,998 ".repeat(26_000)}"/>`)],
    ["fine dashes", svg('<path stroke-dasharray="0.01" d="M0 5H1000"/>'.repeat(1000))],
    ["dashes of a large shape", svg('<path style="stroke-dasharray: 1" d="M0 5H1000000"/>'.repeat(100))],
    ["dashes for all in a group", svg('<g stroke-dasharray="1"><path d="M0 5H1000"/></g>')],
    ["dashes for all", svg("<style>path{stroke-dasharray:1}</style>")],
    ["depth", svg("<g>".repeat(500) + "</g>".repeat(500))],
    ["entities", `<!DOCTYPE svg [<!ENTITY a "<use href='#x'/>">]>${svg("&a;")}`],
    ["many rules", svg(`<style>${"a b{fill:red}".repeat(1000)}</style>${"<g/>".repeat(5000)}`)],
    ["a mask for all", svg("<style>*{mask:url(#m)}</style>")],
    ["another document's style sheet", `<?xml-stylesheet href="data:text/css,*{}"?>${svg("")}`],
    ["a reference in CSS escapes", svg('<g style="mask:\\75rl(#m)"/>')],
    ["HTML", svg("<foreignObject/>")],
    ["what is not well-formed", svg("<g>")],
    ["what is no markup", "text <"],
  ])("%s", (_, text) => {
    expect(isSimpleSvg(text)).toBe(false);
  });
});

describe("what people draw is simple", () => {
  test.each<[what: string, text: string]>([
    ["nothing", svg("")],
    [
      "with its declaration",
      `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- <use> -->\n${svg("<g/>")}\n`,
    ],
    ["paths", svg(`<path d="${"M10 10 C 20 20, 40 20, 50 10 ".repeat(20)}"/>`.repeat(500))],
    ["dashes", svg('<path stroke="red" stroke-dasharray="4 2" d="M0 5H1000"/>'.repeat(50))],
    ["no dashes", svg('<g style="stroke-dasharray:none"><rect stroke-dasharray="none"/></g>'.repeat(1000))],
    ["a long path", svg(`<path d="${"M10 10 C 20 20, 40 20, 50 10 ".repeat(3000)}"/>`.repeat(3))],
    ["a photograph", svg(`<image href="data:image/png;base64,${"A".repeat(900_000)}"/>`)],
    ["use", nestedUse(3)],
    ["a use of itself", svg('<g id="a"><use href="#a"/></g>')],
    ["a shadow", svg('<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><g filter="url(#f)"/>')],
    ["a gradient", svg('<linearGradient id="g"><stop/></linearGradient><rect fill="url(#g)"/>'.repeat(100))],
    [
      "a style sheet",
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${svg("<style>*{stroke-linejoin: round}</style><g/>")}`,
    ],
    ["a style sheet as CDATA", svg("<style><![CDATA[.a > b{fill:red}]]></style><g/>")],
    ["words", svg("<text>A title &amp; more</text>")],
  ])("%s", (_, text) => {
    expect(isSimpleSvg(text)).toBe(true);
  });
});
