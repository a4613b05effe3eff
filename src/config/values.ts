import { resolve } from "node:path";
import { type Plan, PLANS } from "../domain/accounts/roles.ts";
import { parseName } from "../domain/contents/texts/text.ts";
import { CofferError } from "../domain/errors.ts";
import { type BucketAddress, parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { Secret } from "./secret.ts";

/** Why a text is not a valid value. `text` completes the sentence "{setting} ...". */
export class Problem {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parses the text of a setting, which is never empty. */
export type Parser<T> = (text: string) => T | Problem;

const DIGITS = /^[0-9]+$/;
const TOKEN = /^[\w.~+/=-]{16,256}$/;

/** A whole number in decimal digits: no sign, exponent, prefix or space. */
export function integer(min: number, max: number): Parser<number> {
  const problem = new Problem(
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number from ${min} up, in digits`
      : `must be a whole number from ${min} to ${max}, in digits`,
  );
  return (text) => {
    const value = DIGITS.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : problem;
  };
}

export function choice<const T extends string>(...words: readonly T[]): Parser<T> {
  const problem = new Problem(`must be ${words.join(" or ")}`);
  return (text) => words.find((word) => word === text) ?? problem;
}

/** A name that people see. */
export function shownName(text: string): string | Problem {
  try {
    return parseName("", text);
  } catch (error) {
    if (!(error instanceof CofferError)) throw error;
    return new Problem(error.message.trimStart());
  }
}

/** A whole number with one of these units, `""` for none, each of which multiplies it. */
function withUnit(
  pattern: RegExp,
  units: Readonly<Record<string, number>>,
  [min, max]: readonly [min: number, max: number],
  problem: Problem,
): Parser<number> {
  return (text) => {
    const [, digits, unit = ""] = pattern.exec(text) ?? [];
    const value = Number(digits) * (units[unit.toLowerCase()] ?? Number.NaN);
    return value >= min && value <= max ? value : problem;
  };
}

/** Bytes: `5GiB`, `100MB`, `4096`. Every unit is a power of 1024, with or without the `i`. */
export function bytes(min: number): Parser<number> {
  return withUnit(
    /^([0-9]+)(?:([KMGT])I?B|B)?$/i,
    { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 },
    [min, Number.MAX_SAFE_INTEGER],
    new Problem(
      `must be a whole number of at least ${min}, alone or with B, KiB, MiB, GiB or TiB, such as 5GiB`,
    ),
  );
}

/** A duration in milliseconds: `500ms`, `60s`, `5m`, `1h`. `range` describes the limits in words. */
export function duration(minMs: number, maxMs: number, range: string): Parser<number> {
  return withUnit(
    /^([0-9]+)(ms|s|m|h)$/,
    { ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
    [minMs, maxMs],
    new Problem(`must be a number with ms, s, m or h, such as 60s, ${range}`),
  );
}

/** A text that matches a pattern; `rule` completes the sentence "{setting} must ...". */
export function matching(pattern: RegExp, rule: string): Parser<string> {
  const problem = new Problem(`must ${rule}`);
  return (text) => (pattern.test(text) ? text : problem);
}

/** A secret that is sent as a bearer token (RFC 6750, 2.1). */
export function token(text: string): Secret<string> | Problem {
  if (TOKEN.test(text)) return new Secret(text);
  return new Problem("must have 16 to 256 characters of A-Z, a-z, 0-9 and -._~+/=");
}

/**
 * A comma-separated list, whose items may have spaces around them.
 *
 * @param parse returns null for what is no item
 * @param rule completes the sentence "{item} must be ..."
 */
export function listOf<T>(parse: (item: string) => T | null, rule: string): Parser<readonly T[]> {
  return (text) => {
    const list: T[] = [];
    for (const item of listItems(text)) {
      const value = parse(item);
      if (value === null) return new Problem(`has ${JSON.stringify(item)}, which must be ${rule}`);
      list.push(value);
    }
    return list;
  };
}

function listItems(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

/** Where contents are: on disks, which have absolute paths, or in a bucket. */
export type ContentsPlace = { readonly kind: "disks"; readonly roots: readonly string[] } | BucketAddress;

/** The address of a bucket, or a comma-separated list of directories, each a disk. They become absolute. */
export function contentsPlace(text: string): ContentsPlace | Problem {
  const address = parseBackupAddress(text, resolve);
  if (address?.kind === "s3") return address;
  const roots = diskPaths(text);
  return roots instanceof Problem ? roots : { kind: "disks", roots };
}

function diskPaths(text: string): readonly string[] | Problem {
  const items = listItems(text);
  if (items.some((item) => item === "" || item.includes("://"))) {
    return new Problem(
      "must be a list of directories, such as /mnt/a,/mnt/b, or a bucket, such as s3://bucket/prefix",
    );
  }
  const paths = items.map((item) => resolve(item));
  const inside = pathInAnother(paths);
  return inside === null ? paths : new Problem(`has ${inside}, which is, or is in, another one of them`);
}

/** The first of some absolute paths that is another one of them, or is inside it; null if there is none. */
export function pathInAnother(paths: readonly string[]): string | null {
  return paths.find((path, at) => paths.some((other, n) => n !== at && isInside(path, other))) ?? null;
}

/** Whether an absolute path is another one, or inside it. */
export function isInside(path: string, other: string): boolean {
  return `${path}/`.startsWith(other === "/" ? other : `${other}/`);
}

// OpenID Connect Core 1.0, section 2: ASCII, and no more than 255 characters.
const SUBJECT = /^[!-~]{1,255}$/;

/** A comma-separated list of subjects of an OpenID Connect provider. */
export const subjects = listOf(
  (item) => (SUBJECT.test(item) ? item : null),
  "1 to 255 printable ASCII characters without spaces",
);

/** A value for each plan: `free=60,team=1000`. A plan that is left out keeps its value in `base`. */
export function perPlan<T>(
  base: Readonly<Record<Plan, T>>,
  parse: Parser<T>,
): Parser<Readonly<Record<Plan, T>>> {
  return (text) => {
    const values = { ...base };
    const seen = new Set<Plan>();
    for (const item of listItems(text)) {
      const split = item.indexOf("=");
      const name = split < 0 ? item : item.slice(0, split);
      const plan = PLANS.find((known) => known === name);
      if (plan === undefined || split < 0) {
        return new Problem(`must be a list such as ${PLANS.map((known) => `${known}=...`).join(",")}`);
      }
      if (seen.has(plan)) return new Problem(`names the plan ${plan} twice`);
      seen.add(plan);
      const value = parse(item.slice(split + 1));
      if (value instanceof Problem) return new Problem(`has a bad value for ${plan}: it ${value.text}`);
      values[plan] = value;
    }
    return values;
  };
}
