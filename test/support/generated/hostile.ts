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
export const HOSTILE_VALUES: readonly Json[] = [
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
  return random.pick(HOSTILE_VALUES);
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

/** The value with something in it removed, added or replaced by anything. */
export function mutated(value: Json, random: Random): Json {
  if (Array.isArray(value)) {
    if (random.chance(0.3)) return [...value, hostileValue(random)];
    const at = random.below(value.length + 1);
    return value.map((each, index) => (index === at ? changed(each, random) : each));
  }
  if (typeof value !== "object" || value === null || random.chance(0.05)) return hostileValue(random);
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.15))
    return { ...value, [hostileText(random)]: hostileValue(random) };
  const name = random.pick(names);
  const { [name]: old = null, ...rest } = value;
  return random.chance(0.2) ? rest : { ...rest, [name]: changed(old, random) };
}

function changed(value: Json, random: Random): Json {
  return random.chance(0.3) ? mutated(value, random) : hostileValue(random);
}

/** The JSON of a value; now and then spelled oddly, or broken. */
export function spelled(value: Json, random: Random): string | Buffer<ArrayBuffer> {
  const text = JSON.stringify(value);
  if (random.chance(0.85)) return text;
  const at = random.below(text.length + 1);
  const broken: readonly (() => string | Buffer<ArrayBuffer>)[] = [
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${hostileText(random)}${text.slice(at)}`,
    () => `\ufeff${text}`,
    () => `${text}${text}`,
    () => ` \r\n\t${text}\n `,
    () => text.replace(/^\{/, `{"a":1,"a":2,`),
    () => text.replace(/"(\w+)":/, (key) => `${key}1,${key}`),
    () =>
      text.replace(/"(?=[a-z])([a-z])/, (_, first: string) => `"\\u00${first.charCodeAt(0).toString(16)}`),
    () => text.replace(/\d+|null|true|false/, () => random.pick(ODD_NUMBERS)),
    () => text.replaceAll('"', "'"),
    () => text.replace(/\}$/, ",}"),
    () => `${"[".repeat(5000)}${text}`,
    () => `${'{"a":'.repeat(5000)}${text}${"}".repeat(5000)}`,
    () => Buffer.concat([Buffer.from(text.slice(0, at)), random.bytes(3), Buffer.from(text.slice(at))]),
    () => Buffer.from(text, "utf16le"),
    () => random.bytes(random.below(64)),
    () => "",
    () => `${text}${" ".repeat(random.pick([1000, 300_000, 1_100_000]))}`,
  ];
  return random.pick(broken)();
}
