import type { Json } from "../server/client.ts";
import type { Random } from "../server/random.ts";

/** Texts that have broken servers: controls, half characters, other languages' syntax, extremes. */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\r\nX-Evil: 1",
  "\t\u0007\u001b[31m",
  "\u007f\u0085",
  "\ud800",
  "a\udc00b",
  "\udbff\udfff",
  "\ufeff\ufffe\uffff",
  "e\u0301",
  "\u00e9",
  "\u0130\u0131ß\ufb03",
  "\u202etxt.exe",
  "\u200b\u2060",
  "👩‍👩‍👧‍👦",
  "日本語のファイル",
  "ﷺ",
  ".",
  "..",
  "../../etc/passwd",
  "a/../b",
  "/",
  "//",
  "a//b",
  "a/",
  "\\",
  "C:\\a",
  "%",
  "%00",
  "%2e%2e%2f",
  "'",
  '"',
  "' OR 1=1 --",
  '"a" NEAR("b" c) OR *',
  "a* AND NOT (b) ^c",
  "{path}:x + col : y",
  "-",
  "*",
  "(",
  "<script>alert(1)</script>",
  "${7*7}{{7*7}}",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "true",
  "NaN",
  "0",
  "-1",
  "1e400",
  "0x10",
  "99999999999999999999",
  "9007199254740993",
  "1.5",
  " 1",
  "2026-02-30T00:00:00Z",
  "9999-12-31T23:59:60Z",
  "0000-00-00",
  "+275760-09-13T00:00:00.001Z",
  "1969-12-31T23:59:59Z",
  "2099-01-01T00:00:00+99:99",
  "bytes=0-",
  "bytes=5-2",
  "bytes=-0",
  "bytes=99999999999999999999-",
  'W/""',
  "*, *",
  '"',
  ", ,",
  "text/html; charset=x",
  "a/b\r\n",
  "/a/b/c/d/",
  "Thu, 31 Feb 2030 99:00:00 GMT",
];

/** Values of every kind that no field expects everywhere. */
const VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e21,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  [],
  {},
  [null],
  [[]],
  ["a", "a"],
  [""],
  { __proto__: null },
  { length: -1 },
  { "": "" },
];

/** Numbers as JSON spells them and `JSON.stringify` does not. */
export const ODD_NUMBERS: readonly string[] = [
  "1e400",
  "-1e400",
  "-0",
  "0.1e1",
  "12345678901234567890",
  "1E+2",
  `1${"0".repeat(400)}`,
];

/** A text of any kind, mostly short, now and then thousands of characters long. */
export function hostileText(random: Random): string {
  const text = random.pick(HOSTILE_TEXTS);
  if (random.chance(0.05)) return `${text}x`.repeat(random.pick([64, 255, 256, 1024, 1025, 4096]));
  return random.chance(0.2) ? text + random.pick(HOSTILE_TEXTS) : text;
}

/** Any JSON value, also ones that are nested deeply. */
export function hostileValue(random: Random): Json {
  if (random.chance(0.5)) return hostileText(random);
  if (random.chance(0.05)) return nested(random.pick([10, 63, 64, 65, 500]), random.chance(0.5));
  if (random.chance(0.05)) return Array.from({ length: random.pick([65, 1000, 1001]) }, () => "x");
  return random.pick(VALUES);
}

function nested(levels: number, inArrays: boolean): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = inArrays ? [value] : { a: value };
  return value;
}

/** A text that may be sent as a header: what HTTP itself forbids is left out. */
export function hostileHeader(random: Random): string {
  return hostileText(random)
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "")
    .slice(0, 2048);
}
