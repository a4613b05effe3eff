import { describe } from "bun:test";
import {
  accepted,
  invalid,
  kept,
  openStage,
  put,
  rejected,
  runEach,
  runScenarios,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

/** A path of exactly so many bytes, in segments of at most 100. */
function pathOf(bytes: number): string {
  return `${"a".repeat(99)}/`.repeat(20).slice(0, bytes - 1) + "z";
}

const PATHS: [name: string, sent: string, kept: string][] = [
  ["a leading slash is dropped", "/a/b", "a/b"],
  ["a trailing slash is a folder", "a/b/", "a/b/f.txt"],
  ["the root", "/", "f.txt"],
  ["spaces stay", " a / b ", " a / b "],
  ["dots within names", ".a/..b/c../...", ".a/..b/c../..."],
  ["percent signs are characters", "%2e%2e/%00/%", "%2e%2e/%00/%"],
  ["quotes and the like", `a'"<>|?*:;&$\`#`, `a'"<>|?*:;&$\`#`],
  ["SQL's wildcards", "%_[a]", "%_[a]"],
  ["emoji", "\u{1F600}/\u{1F469}\u200D\u{1F680}", "\u{1F600}/\u{1F469}\u200D\u{1F680}"],
  ["Japanese", "\u8CC7\u6599/\u30E1\u30E2", "\u8CC7\u6599/\u30E1\u30E2"],
  ["decomposed letters are composed", "e\u0301/o\u0308", "\u00E9/\u00F6"],
  ["the last code point", "\u{10FFFF}", "\u{10FFFF}"],
  ["a private use character", "\uE000\uFFFD", "\uE000\uFFFD"],
  ["a segment of 255 bytes", `a/${"x".repeat(255)}`, `a/${"x".repeat(255)}`],
  ["1,024 bytes", pathOf(1024), pathOf(1024)],
  ["the filename need not be in it", "a/other.bin", "a/other.bin"],
];

const BAD_PATHS: [name: string, sent: string][] = [
  ["empty", ""],
  ["climbing out", "../f.txt"],
  ["climbing out from within", "a/../../f.txt"],
  ["a segment ..", "a/../b"],
  ["a last segment ..", "a/.."],
  ["a folder ..", "a/../"],
  ["a segment .", "a/./b"],
  ["only a dot", "."],
  ["only dots", ".."],
  ["two slashes", "a//b"],
  ["two leading slashes", "//a"],
  ["two trailing slashes", "a//"],
  ["a backslash", "a\\b"],
  ["a Windows path", "C:\\Windows"],
  ["a backslash climbing out", "..\\f.txt"],
  ["NUL", "a\u0000b"],
  ["a line break", "a\nb"],
  ["a carriage return", "a\r"],
  ["a tab", "a\tb"],
  ["an escape", "\u001b[31m"],
  ["DEL", "a\u007f"],
  ["a C1 control", "a\u0085b"],
  ["half a surrogate pair", "a\ud800b"],
  ["the other half", "\udc00"],
  ["1,025 bytes", pathOf(1025)],
  ["10 kB", "a/".repeat(5000) + "b"],
  ["a segment of 256 bytes", `a/${"x".repeat(256)}`],
  ["a folder of 256 bytes", `${"x".repeat(256)}/a`],
  ["a segment of 256 bytes in 64 characters", "\u{1F600}".repeat(64)],
];

describe("path", () => {
  const PUT = "PUT /v0/files?drive_id={drive}";
  const replaced = { status: 200, json: { id: "{old.id}" } };
  runScenarios(stage, {
    "composed and decomposed letters are one file": [
      put("\u00E9.txt", "1", { keeps: "old" }),
      put("e\u0301.txt", "2", replaced),
    ],
    "with and without a leading slash are one file": [
      put("a/b", "1", { keeps: "old" }),
      put("/a/b", "2", replaced),
    ],
    "composing may save what is too long": step("POST /v0/files", {
      body: { drive_id: "{drive}", filename: "f", content: "", path: "e\u0301".repeat(120) },
      status: 201,
      json: { path: "\u00E9".repeat(120) },
    }),
    "what a path escapes to in a URL is what it is": step(`${PUT}&path=a%2Fb%20c+d%25`, {
      body: "x",
      status: 201,
      json: { path: "a/b c d%" },
    }),
  });
  runEach(stage, PATHS, ([name, path, stored]) => [
    name,
    accepted({ path }, { path: stored, filename: "f.txt" }),
  ]);
  runEach(stage, BAD_PATHS, ([name, path]) => [`${name} is refused`, ...rejected({ path }, "path")]);
  runEach(stage, [5, true, [], {}], (path) => [
    `${JSON.stringify(path)} is refused`,
    ...rejected({ path }, "path"),
  ]);
  runEach(stage, ["%", "%zz", "%ff", "a%00b", "%ed%a0%80"], (path) => [
    `the query ${path} is refused`,
    step(`${PUT}&path=${path}`, { body: "x", ...invalid("path") }),
  ]);
});

const FILENAMES: [name: string, filename: string, path: string][] = [
  ["spaces stay", " a .txt", " a .txt"],
  ["255 bytes", "x".repeat(255), "x".repeat(255)],
  ["emoji", "\u{1F600}.txt", "\u{1F600}.txt"],
  ["it stays decomposed, the path does not", "e\u0301.txt", "\u00E9.txt"],
];

const BAD_FILENAMES: [name: string, filename: string][] = [
  ["empty", ""],
  ["a slash", "a/b"],
  ["only a slash", "/"],
  ["NUL", "a\u0000"],
  ["a line break", 'a\r\nX-Evil: "1'],
  ["DEL", "\u007f"],
  ["half a surrogate pair", "\ud83d"],
  ["256 bytes", "x".repeat(256)],
  ["256 bytes in 64 characters", "\u{1F600}".repeat(64)],
  [". where it would be the path", "."],
  [".. where it would be the path", ".."],
  ["a backslash where it would be the path", "a\\b"],
];

describe("filename", () => {
  runScenarios(stage, {
    "a backslash beside a path": kept({ filename: "a\\b.txt", path: "c" }),
    "a slash is refused beside a path as well": rejected({ filename: "a/b", path: "c" }, "filename"),
  });
  runEach(stage, FILENAMES, ([name, filename, path]) => [name, accepted({ filename }, { filename, path })]);
  runEach(stage, BAD_FILENAMES, ([name, filename]) => [
    `${name} is refused`,
    ...rejected({ filename }, "filename"),
  ]);
});
