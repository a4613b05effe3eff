import { afterEach, expect, test } from "bun:test";
import type { FileFacts } from "../../src/domain/files/file.ts";
import { type DriveId, type FileId, newId } from "../../src/domain/id.ts";
import { parseFilename, parseFilePath } from "../../src/domain/files/path.ts";
import { recordTag, requirePrecondition } from "../../src/domain/files/precondition.ts";
import { parseRange } from "../../src/http/content/answer.ts";
import { contentDisposition } from "../../src/http/content/containment.ts";
import {
  httpDate,
  isNotModified,
  isRecordNotModified,
  rangeAllowed,
} from "../../src/http/content/conditions.ts";
import { clientAddresses } from "../../src/http/connection/client-address.ts";
import { SESSION_COOKIE, tokenIn } from "../../src/http/gate/session-cookie.ts";
import { usedAddress } from "../../src/http/gate/link-base.ts";
import { anyOf, anyText, forAll, unlessRefused } from "../support/models/properties.ts";
import { digestOf } from "../support/samples/blob-store-contract.ts";
import * as fc from "fast-check";

const ownZone = process.env["TZ"];

afterEach(() => {
  if (ownZone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = ownZone;
});

/** Texts that may be sent as a header. */
const headerText = anyText().map((text) => text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "").trim());

const DIGEST = digestOf(Buffer.from("this"));

const FILENAME = parseFilename("filename", "a.txt");

/** A file whose content is "this". */
const FILE: FileFacts = {
  id: newId<FileId>(0),
  driveId: newId<DriveId>(0),
  path: parseFilePath("path", "notes/a.txt", FILENAME),
  filename: FILENAME,
  mimeType: "text/plain",
  size: 4,
  digest: DIGEST,
  preview: "this",
  tags: [],
  metadata: {},
  expiresAt: null,
  createdAt: 0,
  updatedAt: 0,
};
const RECORD = recordTag(FILE);
const OTHER = digestOf(Buffer.from("another"));

function requestWith(headers: Readonly<Record<string, string | null>>): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  return new Request("http://localhost/", { headers: given });
}

test("a range is what RFC 9110, section 14.1.2, makes of it", () => {
  const position = fc.option(fc.oneof(fc.nat(20), fc.maxSafeNat()), { nil: null });
  forAll(5, position, position, fc.nat(20), fc.constantFrom("", " ", "\t"), (first, last, size, space) => {
    const header = `bytes=${space}${first ?? ""}-${last ?? ""}${space}`;
    const range = unlessRefused(() => parseRange(header, size) ?? "ignored");
    const isSuffix = first === null;
    if (isSuffix && last === null) expect(range).toBe("ignored");
    else if (!isSuffix && last !== null && last < first) expect(range).toBe("ignored");
    else {
      const wanted = Array.from({ length: size }, (_, at) => at).filter((at) =>
        isSuffix ? at >= size - (last ?? 0) : at >= first && (last === null || at <= last),
      );
      const [start] = wanted;
      const expected = start === undefined ? null : { start, end: start + wanted.length };
      expect(range).toEqual(expected);
    }
  });
});

test("any other range is ignored, refused, or within the content", () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 400n }).map(String);
  const part = fc.oneof(headerText, digits, fc.constantFrom("", "-", "0", ","));
  const text = fc.array(part, { maxLength: 4 }).map((parts) => `bytes=${parts.join("-")}`);
  forAll(5, fc.oneof(text, headerText), fc.nat(20), (header, size) => {
    const range = unlessRefused(() => parseRange(header, size));
    if (range === null) return;
    expect(range.start).toBeWithin(0, size);
    expect(range.end).toBeWithin(range.start + 1, size + 1);
  });
});

/** One of the three formats of RFC 9110, section 5.6.7. */
type DateFormat = "IMF" | "RFC 850" | "asctime";

/** @param at in seconds since the epoch */
function written(at: number, format: DateFormat): string {
  const imf = httpDate(at * 1000);
  const [, day = "", date = "", month = "", year = "", time = ""] =
    /^(\w{3}), (\d\d) (\w{3}) (\d{4}) (\S+) GMT$/.exec(imf) ?? [];
  switch (format) {
    case "IMF":
      return imf;
    case "RFC 850": {
      const long = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(at * 1000);
      return `${long}, ${date}-${month}-${year.slice(2)} ${time} GMT`;
    }
    case "asctime":
      return `${day} ${month} ${date.replace(/^0/, " ")} ${time} ${year}`;
  }
}

/** When a file was modified, in seconds since the epoch: years that two digits name. */
const modified = fc.integer({ min: Date.UTC(1990, 0) / 1000, max: Date.UTC(2040, 0) / 1000 });

/** A date near it: how many seconds later, and how it is written; or a text that is no date. */
const date = fc.oneof(
  fc.record({
    later: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -9000, max: 9000 })),
    format: fc.constantFrom<DateFormat>("IMF", "RFC 850", "asctime"),
  }),
  fc.constantFrom("1", "yesterday", "Thu, 99 Foo 2030 00:00:00 GMT", "2030-01-01T00:00:00Z"),
);
type SentDate = typeof date extends fc.Arbitrary<infer T> ? T : never;

function sent(given: SentDate | null, from: number): string | null {
  return given === null || typeof given === "string" ? given : written(from + given.later, given.format);
}

/** How many seconds after the modification a date is; null for none or a malformed one. */
function laterBy(given: SentDate | null): number | null {
  return given === null || typeof given === "string" ? null : given.later;
}

const tag = fc.oneof(
  fc.constantFrom<string>(DIGEST, RECORD, OTHER, `${DIGEST}0`, "", "W/", "a,b", `,${DIGEST}`, "*"),
  fc.string({ unit: anyOf("!#$,/*Wab0\\;=") }),
);
const tags = fc.oneof(
  fc.constant("*" as const),
  fc.array(fc.record({ tag, isWeak: fc.boolean() }), { minLength: 1, maxLength: 4 }),
);
type Tags = typeof tags extends fc.Arbitrary<infer T> ? T : never;

function listed(given: Tags | null, separator: string): string | null {
  if (given === null || given === "*") return given;
  return given.map(({ tag: text, isWeak }) => `${isWeak ? "W/" : ""}"${text}"`).join(separator);
}

/** Whether the list has one of these, or is `*`. */
function names(given: Tags, [digest, record]: readonly string[], weak: boolean): boolean {
  return (
    given === "*" ||
    given.some(({ tag: text, isWeak }) => (text === digest || text === record) && (weak || !isWeak))
  );
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const zone = fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata");

test("a read's conditions are those of RFC 9110, section 13.2.2, wherever the server is", () => {
  const separator = fc.constantFrom(", ", ",", " ,\t", ",,");
  const conditions = fc.record({
    match: maybe(tags),
    unmodified: maybe(date),
    noneMatch: maybe(tags),
    modifiedSince: maybe(date),
  });
  forAll(5, modified, conditions, separator, zone, (at, given, between, place) => {
    process.env["TZ"] = place;
    const file = { ...FILE, updatedAt: at * 1000 + 999 };
    const tagsOfFile = [DIGEST, recordTag(file)];
    const request = requestWith({
      "if-match": listed(given.match, between),
      "if-unmodified-since": sent(given.unmodified, at),
      "if-none-match": listed(given.noneMatch, between),
      "if-modified-since": sent(given.modifiedSince, at),
    });
    const unmodified = laterBy(given.unmodified);
    const since = laterBy(given.modifiedSince);
    const holds =
      given.match === null ? unmodified === null || unmodified >= 0 : names(given.match, tagsOfFile, false);
    const isCurrent =
      given.noneMatch === null ? since !== null && since >= 0 : names(given.noneMatch, [DIGEST], true);
    const read = unlessRefused(() => isNotModified(request, file));
    expect([Object.fromEntries(request.headers), read]).toEqual([
      Object.fromEntries(request.headers),
      holds ? isCurrent : null,
    ]);
  });
});

test("If-Range allows a range of what has exactly this tag or date", () => {
  forAll(3, modified, fc.oneof(date, fc.record({ tag, isWeak: fc.boolean() })), zone, (at, given, place) => {
    process.env["TZ"] = place;
    const isTag = typeof given !== "string" && "tag" in given;
    const header = isTag ? listed([given], "") : sent(given, at);
    const expected = isTag ? names([given], [DIGEST], false) : laterBy(given) === 0;
    const request = requestWith({ "if-range": header });
    const allowed = rangeAllowed(request, { ...FILE, updatedAt: at * 1000 });
    expect([header, allowed]).toEqual([header, expected]);
  });
});

test("a record's conditions name it by its own tag, and for If-Match by that of its content", () => {
  forAll(3, maybe(tags), maybe(tags), (match, noneMatch) => {
    const request = requestWith({
      "if-match": listed(match, ", "),
      "if-none-match": listed(noneMatch, ", "),
      "if-modified-since": "Thu, 01 Jan 2099 00:00:00 GMT",
    });
    const holds = match === null || names(match, [DIGEST, RECORD], false);
    const isCurrent = noneMatch !== null && names(noneMatch, [RECORD], true);
    expect(unlessRefused(() => isRecordNotModified(request, FILE))).toBe(holds ? isCurrent : null);
  });
});

test("a write's conditions are those of RFC 9110, section 13.2.2", () => {
  const unmodifiedSince = maybe(fc.integer({ min: -2, max: 2 }));
  forAll(
    3,
    maybe(tags),
    maybe(tags),
    unmodifiedSince,
    maybe(fc.constant(FILE)),
    (match, noneMatch, later, file) => {
      const conditions = {
        ifMatch: listed(match, ", "),
        ifUnmodifiedSince: later,
        ifNoneMatch: listed(noneMatch, ", "),
      };
      const isRefused = unlessRefused(() => requirePrecondition(conditions, file) ?? false) === null;
      const isUnmodified = later === null || file === null || later >= 0;
      const matches = match === null ? isUnmodified : file !== null && names(match, [DIGEST, RECORD], false);
      const isNone = noneMatch === null || file === null || !names(noneMatch, [DIGEST, RECORD], true);
      expect(isRefused).toBe(!matches || !isNone);
    },
  );
});

test("a file name of any kind arrives in both forms of a Content-Disposition", () => {
  forAll(5, anyText(), fc.constantFrom("attachment" as const, "inline" as const), (text, type) => {
    const name = unlessRefused(() => parseFilename("filename", text));
    if (name === null) return;
    const header = contentDisposition(type, name);
    expect(new Headers({ "content-disposition": header }).get("content-disposition")).toBe(header);
    // RFC 6266's quoted-string without escapes, and RFC 8187's ext-value.
    const [, shown, plain, extended] =
      /^(\w+); filename="([ !#-$&-[\]-~]*)"; filename\*=UTF-8''((?:[\w!#$&+.^`|~-]|%[0-9A-F]{2})*)$/.exec(
        header,
      ) ?? [];
    expect<string | undefined>(shown).toBe(type);
    expect<string>(decodeURIComponent(extended ?? "")).toBe(name);
    expect(plain).toHaveLength(Array.from<string>(name).length);
  });
});

test("no Host and no X-Forwarded header gives an address that its sender did not write", () => {
  const host = fc.oneof(
    headerText,
    fc.tuple(fc.domain(), fc.nat(70_000)).map(([name, port]) => `${name}:${port}`),
    fc.oneof(
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((address) => `[${address}]`),
    ),
    fc.webUrl({ withFragments: true, withQueryParameters: true }).map((url) => url.slice(7)),
  );
  forAll(
    5,
    host,
    maybe(host),
    maybe(fc.oneof(headerText, fc.constantFrom("https", "HTTP"))),
    fc.boolean(),
    (own, other, scheme, isProxy) => {
      const { headers } = requestWith({
        host: own,
        "x-forwarded-host": other,
        "x-forwarded-proto": scheme,
      });
      const address = usedAddress(headers, isProxy);
      if (address === null) return;
      expect(new URL(address).origin).toBe(address);
      const sender = (isProxy ? other : null) ?? own;
      expect(new URL(`http://${sender}`).hostname).toBe(new URL(address).hostname);
      if (!isProxy) expect(address).toStartWith("http:");
    },
  );
});

test("a client is one address or network, whatever X-Forwarded-For says, and its own if no proxy is trusted", () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4().map((each) => `::ffff:${each}`),
  );
  const hops = fc.array(fc.oneof(address, headerText)).map((all) => all.join(", "));
  const clientOf = clientAddresses([]);
  const behindProxies = clientAddresses([{ address: "10.0.0.0", prefix: 8, family: "ipv4" }]);
  forAll(3, fc.oneof(address, fc.constant("10.1.2.3")), hops, (peer, forwarded) => {
    expect(behindProxies(peer, forwarded)).toMatch(/^(\d+(\.\d+){3}|[0-9a-f]+(:[0-9a-f]+){3}::\/64)$/);
    expect(clientOf(peer, forwarded)).toBe(clientOf(peer, null));
    if (!peer.includes("10.")) expect(behindProxies(peer, forwarded)).toBe(clientOf(peer, null));
  });
});

test("a cookie header of any kind gives a token or none", () => {
  const token = fc.string({ unit: anyOf("aZ09_-"), minLength: 1, maxLength: 20 });
  forAll(3, headerText, token, headerText, (before, value, after) => {
    const name = SESSION_COOKIE;
    expect(tokenIn(requestWith({ cookie: before }), name) ?? "none").toMatch(/^[\w-]{1,128}$/);
    const cookies = [before, `${name}=${value}`, after].filter(
      (each) => !/[;=]/.test(each) || each.startsWith(name),
    );
    expect(tokenIn(requestWith({ cookie: cookies.join("; ") }), name)).toBe(value);
  });
});
