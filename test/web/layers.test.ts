import { describe, expect, test } from "bun:test";
import {
  circlesIn,
  effectsIn,
  importsOf,
  ownImportsOf,
  type Source,
  sourcesIn,
  stateIn,
  withoutTypeImports,
} from "../support/sources.ts";

/**
 * Who may import whom. What is not written here is forbidden, so a new dependency is a decision made in this
 * table. Pages do not import each other: see `mayImportPage`.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "web/main.tsx": ["web/app.tsx", "web/lib"],
  "web/app.tsx": ["web/components", "web/lib", "web/pages"],
  "web/code-worker.ts": ["web/lib"],
  "web/markdown-worker.ts": ["web/lib"],
  "web/merge-worker.ts": ["web/lib"],
  "web/offline-worker.ts": ["web/lib"],
  "web/pdf-worker.ts": ["web/lib"],
  // Styles that come with what is loaded on demand.
  "web/pages": ["src/domain", "web/components", "web/lib", "web/styles"],
  "web/components": ["src/domain", "web/lib"],
  "web/lib": ["src/domain", "src/http", "web/messages"],
  // Types of what the bundler gives.
  "web/env.d.ts": [],
};

/** The one file that knows what the server's HTTP answers with, and where from: types alone. */
const ANSWER_TYPES = {
  in: "web/lib/api/types.ts",
  from: [
    "account-schemas",
    "audit-schemas",
    "change-schemas",
    "comment-schemas",
    "history-schemas",
    "link-schemas",
    "record-schemas",
    "server-schemas",
    "usage-schemas",
  ].map((name) => `src/http/records/${name}.ts`),
};

/** The rooms of a page that may import rooms beside them. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  "web/pages/drive/list": ["web/pages/drive/store"],
  "web/pages/drive/dialogs": ["web/pages/drive/editor", "web/pages/drive/store"],
  "web/pages/drive/editor": ["web/pages/drive/store"],
};

/** The rooms that need no page, so that they are tested without a browser. */
const WITHOUT_PAGE = /^web\/pages\/drive\/store\//;

/** All that is brought into the browser from outside. */
const FROM_OUTSIDE =
  /^(?:@highlightjs\/cdn-assets\/es\/(?:core|languages\/[a-z]+)\.min\.js|marked|preact|preact\/hooks|@preact\/signals(?:-core)?|lucide-static\/icons\/[a-z0-9-]+\.svg|unpdf\/pdfjs|node-diff3|@lezer\/highlight|@codemirror\/(?:commands|language|search|state|view|legacy-modes\/mode\/[a-z]+))$/;

/** State that a module may keep for itself: the names, and why there can be only one of it in a tab. */
const MAY_KEEP: Readonly<Record<string, { readonly names: readonly string[]; readonly why: string }>> = {
  "web/lib/browser/kept.ts": {
    names: ["current", "entries", "made"],
    why: "what is kept of the entries in the browser's history",
  },
  "web/lib/browser/router.tsx": {
    names: ["guard", "isReached"],
    why: "whether the tab went to another page since it loaded, and who is asked before it does",
  },
  "web/lib/browser/scroll-back.ts": { names: ["stop"], why: "the window scrolls to one place at a time" },
  "web/lib/browser/second-click.ts": {
    names: ["clicked", "isElsewhere"],
    why: "the last click in the window",
  },
  "web/lib/words/text.ts": { names: ["shown"], why: "the dashboard speaks one language at a time" },
};

/** Modules that do something as soon as they are imported, and why. */
const MAY_BEGIN: Readonly<Record<string, string>> = {
  "web/main.tsx": "the dashboard begins here",
  "web/code-worker.ts": "a worker begins here",
  "web/markdown-worker.ts": "another worker begins here",
  "web/merge-worker.ts": "a third one",
  "web/offline-worker.ts": "the service worker begins here",
  "web/pdf-worker.ts": "a fourth one",
  "web/lib/browser/router.tsx": "the window's history is followed from before the first page is shown",
  "web/lib/browser/second-click.ts": "the window's clicks are heard before any page hears them",
};

const sources = await sourcesIn("web");

function layerOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return `${first}/${second}`;
}

/** Whether a file is the top of its page, such as `web/pages/search.tsx`. */
function isTop(path: string): boolean {
  return path.split("/").length === 3;
}

/** The folder that a file is in; of the top of a page, the folder that is the page's. */
function roomOf(path: string): string {
  return isTop(path) ? path.replace(/\.tsx?$/, "") : path.slice(0, path.lastIndexOf("/"));
}

/** Whether one file of the pages may import another: one in its own room, below that, or in a room beside. */
function mayImportPage(from: string, to: string): boolean {
  const [room, other] = [roomOf(from), roomOf(to)];
  return (
    !isTop(to) && (other === room || other.startsWith(`${room}/`) || BESIDE[room]?.includes(other) === true)
  );
}

test("the table is what the dashboard does, no more and no less", () => {
  const used = new Map(sources.map(({ path }) => [layerOf(path), new Set<string>()]));
  for (const source of sources) {
    const layer = layerOf(source.path);
    for (const target of ownImportsOf(source).map(layerOf)) {
      if (target !== layer) used.get(layer)?.add(target);
    }
  }
  const asTable = Array.from(used, ([layer, targets]) => [layer, [...targets].toSorted()]);
  expect(Object.fromEntries(asTable)).toEqual(MAY_IMPORT);
});

/** What a source of the dashboard imports from the server, beside the rules. */
function serverImportsOf(source: Source): string[] {
  return ownImportsOf(source).filter((path) => /^src\/(?!domain\/)/.test(path));
}

test("of the server's HTTP one file takes types, and nobody anything else", () => {
  const found = sources.flatMap((source) =>
    serverImportsOf(source).map((from) => ({ in: source.path, from })),
  );
  expect(found).toEqual(ANSWER_TYPES.from.map((from) => ({ in: ANSWER_TYPES.in, from })));
  expect(sources.map(withoutTypeImports).flatMap(serverImportsOf)).toEqual([]);
});

test("every room that may import those beside it does", () => {
  for (const [room, beside] of Object.entries(BESIDE)) {
    const targets = sources.filter(({ path }) => roomOf(path) === room).flatMap(ownImportsOf);
    expect(targets.map(roomOf)).toEqual(expect.arrayContaining([...beside]));
  }
});

test("what needs no page has no components and does not touch the document", () => {
  const rooms = sources.filter(({ path }) => WITHOUT_PAGE.test(path));
  expect(rooms.length).toBeGreaterThan(0);
  for (const { path, text } of rooms) {
    expect([path, /\bdocument\b|\bwindow\b|\bHTML\w*Element\b|preact\/hooks|\.tsx"/.exec(text)]).toEqual([
      path,
      null,
    ]);
  }
});

test("no imports run in a circle", () => {
  expect(circlesIn(sources)).toEqual([]);
});

test("every exception is for a module that there is", () => {
  const paths = sources.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([...Object.keys(MAY_KEEP), ...Object.keys(MAY_BEGIN)]));
});

describe.each(sources.map((source) => [source.path, source] as const))("%s", (path, source) => {
  test("imports only what its layer may, and of the pages only what is below it", () => {
    for (const target of ownImportsOf(source)) {
      if (path.startsWith("web/pages/") && target.startsWith("web/pages/")) {
        expect([target, mayImportPage(path, target)]).toEqual([target, true]);
      }
    }
    for (const name of importsOf(source)) if (!name.startsWith(".")) expect(name).toMatch(FROM_OUTSIDE);
  });

  test("has no state of its own, is no barrel, and is short enough to read", () => {
    expect(stateIn(source)).toEqual([...(MAY_KEEP[path]?.names ?? [])]);
    expect(effectsIn(source).length > 0).toBe(path in MAY_BEGIN);
    expect(source.text).not.toMatch(/^export (?:type )?(?:\*|\{[^}]*\} from)/m);
    expect(source.text.split("\n").length).toBeLessThanOrEqual(300);
  });
});

function reading(text: string): Source {
  return { path: "web/lib/one.ts", text };
}

describe("the rules find", () => {
  test.each<[text: string, state: number]>([
    ["let turn = 0;", 1],
    ["export let stop: (() => void) | null = null;", 1],
    ["const seen = new Map();", 1],
    ["export const seen = new Set<string>();", 1],
    ["const seen: Map<string, () => void> = new Map();", 1],
    ["const seen =\n  new WeakMap<object, string>();", 1],
    ["const seen: string[] = [];", 1],
    ["const seen = {};", 1],
    ["const seen = [1];\nfunction see(): void {\n  seen.push(2);\n}", 1],
    ["const seen = { last: 1 };\nfunction see(): void {\n  seen.last = 2;\n}", 1],
    ["const UNITS: ReadonlyMap<string, number> = new Map([]);", 0],
    ["const NONE: readonly string[] = [];", 0],
    ["const SIZES = [1, 2];\nconst sum = SIZES.map(String);", 0],
    ["function see(): void {\n  const seen = new Map();\n  seen.set(1, 2);\n}", 0],
  ])("in %j so much state: %d", (text, state) => {
    expect(stateIn(reading(text))).toHaveLength(state);
  });

  test.each([
    "addEventListener('click', judge);",
    "history.scrollRestoration = 'manual';",
    "await start();",
    'import "./start.ts";',
  ])("that %j does something on import", (text) => {
    expect(effectsIn(reading(`const judge = 1;\n${text}\n`))).toEqual([text]);
  });

  test.each<[text: string, isBrought: boolean]>([
    ['import { driveSchema } from "../../src/http/schema.ts";', true],
    ['import { type DriveRecord } from "../../src/http/schema.ts";', true],
    ['import type { A } from "../a.ts";\nimport * as schema from "../../src/http/schema.ts";', true],
    ['const schema = await import("../../src/http/schema.ts");', true],
    ['import "../../src/http/schema.ts";', true],
    ['import type * as schema from "../../src/http/schema.ts";', false],
    ['import type {\n  DriveRecord,\n} from "../../src/http/schema.ts";', false],
  ])("whether %j brings anything from the server but types: %p", (text, isBrought) => {
    const brought = isBrought ? ["src/http/schema.ts"] : [];
    expect(serverImportsOf(withoutTypeImports(reading(text)))).toEqual(brought);
  });

  test("a circle of three, one link of which is a type", () => {
    const circle = [
      { path: "web/a.ts", text: 'import { b } from "./lib/b.ts";' },
      { path: "web/lib/b.ts", text: 'import type { C } from "../c.ts";' },
      { path: "web/c.ts", text: 'import { a } from "./a.ts";' },
      { path: "web/d.ts", text: 'import { a } from "./a.ts";' },
    ];
    expect(circlesIn(circle)).toEqual([["web/a.ts", "web/c.ts", "web/lib/b.ts"]]);
  });
});
