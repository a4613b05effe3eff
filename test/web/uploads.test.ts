import { describe, expect, test } from "bun:test";
import { acceptablePath, nameIn, numberedPath } from "../../web/lib/uploads/names.ts";
import { Speedometer } from "../../web/lib/uploads/speed.ts";
import { mostUrgent, summarise } from "../../web/lib/uploads/summary.ts";
import { TOO_LARGE, type Upload } from "../../web/lib/uploads/upload.ts";
import { figuresOf, formatSeconds, headlineOf, restInWords } from "../../web/lib/uploads/words.ts";

const MIB = 1024 * 1024;
let lastId = 0;

function upload(to: Partial<Upload>): Upload {
  const size = to.size ?? 0;
  const file = new File([], "a");
  const waiting = { state: "waiting", sent: 0, error: null, decision: null } as const;
  return { id: (lastId += 1), driveId: "drive", path: "a", file, size, ...waiting, ...to };
}

function errorOf(code: string): Upload["error"] {
  return { code, message: code, requestId: undefined };
}

function viewOf(uploads: readonly Upload[], now: { speed?: number; pace?: number; rest?: number } = {}) {
  return { uploads, speed: now.speed ?? 0, pace: now.pace ?? 0, rest: now.rest ?? null, isAway: false };
}

test.each([
  [0.2, "1 s"],
  [10, "10 s"],
  [10.1, "15 s"],
  [55, "55 s"],
  [55.1, "1 min"],
  [61, "2 min"],
  [3540, "59 min"],
  [3541, "1.0 h"],
  [5400, "1.5 h"],
])("%d seconds are %s", (seconds, words) => {
  expect(formatSeconds(seconds)).toBe(words);
});

test.each([
  ["a/b.txt", "b.txt", "a/b (2).txt"],
  ["b.tar.gz", "b.tar.gz", "b (2).tar.gz"],
  [".hidden", ".hidden", ".hidden (2)"],
  ["a/folder/", "folder/", undefined],
])("the name in %s", (path, name, numbered) => {
  expect(nameIn(path)).toBe(name);
  if (numbered !== undefined) expect(numberedPath(path, 2)).toBe(numbered);
});

test("a path is made such that the API takes it", () => {
  expect(acceptablePath("cafe\u0301\\x/\u0001\ud800/")).toBe("café_x/_\ufffd/");
});

describe("all together", () => {
  const done = upload({ state: "done", size: MIB, sent: MIB });
  const sending = upload({ state: "sending", size: 3 * MIB, sent: MIB });
  const folder = upload({ file: null, path: "empty/" });
  const failed = upload({ state: "failed", size: 9, error: errorOf("NO_ANSWER") });
  const tooLarge = upload({ state: "failed", size: 9, error: errorOf(TOO_LARGE) });
  const cancelled = upload({ state: "cancelled", size: 7 });

  test.each<[headline: string, figures: string, uploads: Upload[], now: Parameters<typeof viewOf>[1]]>([
    ["Uploading 2 files", "1 of 2 · 2.0 MiB of 4.0 MiB", [done, sending, cancelled], {}],
    [
      "Uploading 2 files",
      "1 of 2 · 2.0 MiB of 4.0 MiB · 512 KiB/s · 5 s left",
      [done, sending],
      { speed: MIB / 2, pace: MIB / 2 },
    ],
    ["Uploading 2 files", "1 of 2 · 2.0 MiB of 4.0 MiB", [done, sending], { speed: 1, pace: 1, rest: 9 }],
    ["Uploading 1 folder", "0 of 1", [folder], {}],
    ["Uploading 2 items", "1 of 2 · 1.0 MiB of 1.0 MiB", [done, folder], {}],
    ["1 file uploaded, 1 cancelled", "1 of 1 · 1.0 MiB of 1.0 MiB", [done, cancelled], {}],
    ["2 of 3 files couldn't be uploaded", "1 of 3 · 1.0 MiB of 1.0 MiB", [done, failed, tooLarge], {}],
    ["Nothing was uploaded", "0 of 0", [cancelled], {}],
  ])("%s: %s", (headline, figures, uploads, now) => {
    const view = viewOf(uploads, now);
    const summary = summarise(view);
    expect([headlineOf(summary), figuresOf(summary, view)]).toEqual([headline, figures]);
  });

  test("what is too large is not tried again", () => {
    expect(summarise(viewOf([failed, tooLarge])).retryable).toBe(1);
  });

  test("many empty files are a way to go as well", () => {
    const files = ["done", "waiting", "waiting", "waiting"] as const;
    expect(summarise(viewOf(files.map((state) => upload({ state })))).share).toBe(0.25);
  });

  test("a rest is counted down to its last second", () => {
    const said = [42, 41.2, 0].map(
      (seconds) => /Resuming in .*/.exec(restInWords(viewOf([], { rest: seconds })) ?? "")?.[0],
    );
    expect(said).toEqual(["Resuming in 42 s.", "Resuming in 42 s.", "Resuming in 1 s."]);
  });

  test("what needs somebody is shown first, what is done last", () => {
    expect(mostUrgent([done, cancelled, sending, failed], 3)).toEqual([failed, sending, cancelled]);
  });
});

test("speed is told once there is enough to tell it from, and forgotten when nothing moves", () => {
  const speed = new Speedometer();
  speed.add(1000, 0);
  speed.add(1000, 1000);
  expect(speed.rate(1000)).toBe(0);
  speed.add(1000, 2000);
  expect([speed.rate(2000), speed.rate(7000)]).toEqual([1500, 0]);
});
