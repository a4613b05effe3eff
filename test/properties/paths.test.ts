import { expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  type FilePath,
  lastSegment,
  parentFolder,
  parseFilename,
  parseFilePath,
  parseFolderPath,
  parsePlace,
  parsePrefix,
  prefixEnd,
} from "../../src/domain/files/path.ts";
import { anyText, forAll, unlessRefused } from "../support/models/properties.ts";

const NAME = parseFilename("filename", "name.txt");

/** Texts that often are paths. */
const pathText = fc.oneof(
  anyText(),
  fc
    .array(fc.oneof(anyText(8), fc.constantFrom("a", "e\u0301", "..", ".")), { maxLength: 6 })
    .map((all) => all.join("/")),
);

function filePath(text: string): FilePath | null {
  return unlessRefused(() => parseFilePath("path", text, NAME));
}

/** What every path must be, so that it leads nowhere else. */
function expectWellFormed(path: string): void {
  expect(path).toBe(path.normalize("NFC"));
  expect(path.isWellFormed()).toBeTrue();
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(1024);
  expect(path).not.toMatch(/\p{Cc}|\\|^\//u);
  for (const segment of path.replace(/\/$/, "").split("/")) {
    expect(["", ".", ".."]).not.toContain(segment);
    expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255);
  }
  expect(
    new URL(encodeURI(`http://a/b/${path}`).replaceAll("?", "%3F").replaceAll("#", "%23")).pathname,
  ).toStartWith("/b/");
}

test("a file path that is accepted leads nowhere else, and is read again as itself", () => {
  forAll(5, pathText, (text) => {
    const path = filePath(text);
    if (path === null) return;
    expectWellFormed(path);
    expect(path).not.toEndWith("/");
    expect(filePath(path)).toBe(path);
    expect(filePath(`/${path}`)).toBe(path);
    expect(unlessRefused(() => parsePlace("path", path))).toBe(path);
    expect(filePath(parentFolder(path) + lastSegment(path))).toBe(path);
  });
});

test("a folder path that is accepted leads nowhere else, and is read again as itself", () => {
  forAll(5, pathText, (text) => {
    const path = unlessRefused(() => parseFolderPath("path", `${text}/`));
    if (path === null) return;
    expectWellFormed(path);
    expect(unlessRefused(() => parseFolderPath("path", path))).toBe(path);
    expect(filePath(path)).toBe(filePath(path + NAME));
  });
});

test("texts that are canonically equal are one path", () => {
  forAll(3, pathText, (text) => {
    fc.pre(text.isWellFormed());
    expect(filePath(text.normalize("NFD"))).toBe(filePath(text.normalize("NFC")));
    expect(unlessRefused(() => parsePrefix("prefix", text.normalize("NFD")))).toBe(
      unlessRefused(() => parsePrefix("prefix", text.normalize("NFC"))),
    );
  });
});

test("a file name that is accepted is kept as sent", () => {
  forAll(3, anyText(), (text) => {
    const name = unlessRefused(() => parseFilename("filename", text));
    if (name === null) return;
    expect<string>(name).toBe(text);
    expect(name).not.toMatch(/\/|\p{Cc}/u);
    expect(Buffer.byteLength(name)).toBeWithin(1, 256);
  });
});

test("a prefix's range has the texts that start with it, and no others", () => {
  const texts = fc.string({ unit: "binary", maxLength: 4 });
  const last = fc.constantFrom("\ud7ff", "\ue000", "\uffff", "\u{10ffff}", "\u007f", "");
  const prefixes = fc.tuple(texts, last).map((parts) => parts.join(""));
  forAll(5, prefixes, fc.oneof(texts, prefixes), fc.boolean(), (prefix, other, follows) => {
    const text = Buffer.from(follows ? prefix + other : other);
    const end = prefixEnd(prefix);
    const isWithin =
      Buffer.compare(Buffer.from(prefix), text) <= 0 &&
      (end === null || Buffer.compare(text, Buffer.from(end)) < 0);
    expect(isWithin).toBe(text.toString().startsWith(prefix));
  });
});
