import { describe, expect, test } from "bun:test";
import { dirname } from "node:path";
import type { Source } from "./support/sources.ts";
import {
  circlesIn,
  effectsIn,
  importsOf,
  loadedWith,
  ownImportsOf,
  sourcesIn,
  stateIn,
} from "./support/sources.ts";

function lists(lines: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lines).map(([name, words]) => [name, words.match(/\S+/g) ?? []]));
}

/**
 * Who may import whom. A folder of src/ is one layer, a file directly in src/ one of its own. What
 * is not written here is forbidden, so a new dependency is a decision made in this table.
 */
const MAY_IMPORT = lists({
  "main.ts": "commands",
  commands:
    "accounts.ts appliance.ts backup config config.ts data-directory doctor domain extraction migration network process service thumbnails upgrade verify",
  "appliance.ts":
    "backup-plan.ts blobs config config.ts data-directory db domain http network own-certificate.ts process services thumbnails tracing",
  // The certificate of HTTPS: from files, or from an authority.
  "own-certificate.ts": "acme config config.ts data-directory domain network process services",
  // Has an authority issue certificates. Loaded only where that is set.
  acme: "config data-directory domain process",
  // A store while a server may use it: its database, and its contents without the locks and caches of a server.
  backup: "blobs data-directory db domain process s3 verify",
  // Moves contents of a store, also beside a server.
  migration: "blobs config data-directory db domain process",
  "backup-plan.ts": "config.ts domain services",
  "accounts.ts": "config.ts data-directory db domain process services",
  http: "domain process services tracing web/code-worker.html web/index.html web/markdown-worker.html web/merge-worker.html web/offline-worker.html web/pdf-worker.html web/styles/coffer-maskable.svg web/styles/coffer.svg",
  // Checks a store from outside, also beside a server.
  verify: "blobs data-directory db domain process",
  // What has a system run the server.
  service: "",
  // Replaces the executable by that of a newer release.
  upgrade: "domain process",
  // Asks the running server of a data directory, and looks at what is around both.
  doctor: "config.ts data-directory db domain network process",
  // Reads documents, in a process of its own.
  extraction: "domain process",
  // Keeps thumbnails, and draws them in a process of its own.
  thumbnails: "blobs domain process",
  services: "blobs db domain extraction network process thumbnails tracing",
  // The lock of the directory is a database, and its identity has to do with the database and the contents.
  "data-directory": "blobs config db domain process tracing",
  db: "domain process tracing",
  blobs: "domain process s3 tracing",
  // A bucket of an S3 server. It does not know what is kept there.
  s3: "domain process tracing",
  // Which work belongs to which request, for a collector of traces. Whoever works below knows only a function of it.
  tracing: "config domain process",
  // The one way to servers whose names others choose.
  network: "domain process",
  "config.ts": "config domain",
  config: "domain",
  process: "domain package.json",
  domain: "",
  "build.ts": "build-source.ts process",
  "build-source.ts": "",
  // What is published. No part of the executable.
  release: "build-source.ts build.ts process",
  "dev.ts": "",
});

/**
 * Who may import whom inside `src/http`: a room names those below it that it uses. A file directly in
 * `src/http` stands above the rooms.
 */
const HTTP_ROOMS = lists({
  "app.ts": "dashboard docs gate handler.ts limits manual mcp oauth operation resources sign-in",
  "handler.ts": "connection docs gate metrics operation resources router.ts",
  "router.ts": "operation",
  "server.ts": "connection gate",
  dashboard: "content gate operation",
  docs: "content gate json operation",
  manual: "content operation",
  mcp: "content gate json limits operation resources",
  metrics: "connection content gate operation",
  "sign-in": "gate limits operation records resources",
  oauth: "gate json operation records sign-in",
  resources: "content gate json limits operation records upload",
  records: "operation",
  content: "gate",
  upload: "connection gate json operation",
  operation: "content gate json",
  json: "gate",
  limits: "gate",
  gate: "connection",
  connection: "",
});

/** Modules from outside that only some folders or files of src/ may use. */
const ONLY_IN: readonly { readonly module: RegExp; readonly places: readonly string[] }[] = [
  {
    module: /^(elysia|@elysiajs\/.*|@remix-run\/.*|swagger-ui-dist\/.*|@modelcontextprotocol\/.*)$/,
    places: ["http"],
  },
  { module: /^@sinclair\/typebox/, places: ["backup", "http"] },
  { module: /^bun:sqlite$/, places: ["db"] },
  { module: /^aws4fetch$/, places: ["s3"] },
  {
    module: /^node:fs/,
    // `commands` for the process's own terminal.
    places: [
      "backup",
      "blobs",
      "build.ts",
      "commands",
      "data-directory",
      "db/engine",
      "dev.ts",
      "doctor",
      // The macro that makes the manual.
      "http/manual/render.ts",
      "process",
      "release",
      "service",
      "thumbnails",
      "upgrade",
    ],
  },
  {
    module: /^node:(net|http|https|dgram|tls|child_process|worker_threads)$/,
    places: ["config", "http", "network"],
  },
];

/** The topics: a room of this name is about the same on every floor. And the rooms that are about how a floor works. */
const { topics = [], ...FLOORS } = lists({
  topics:
    "accounts audit changes comments contents drives files folders grep history links oauth search snapshots upkeep webhooks",
  "src/domain": "network",
  "src/db": "engine verify",
  "src/services": "extraction",
  "src/http/resources": "",
});

/** How many files a folder may have side by side. Steps of the schema only become more. */
const FILES_A_FOLDER = 22;

/** What only one file may say. */
const ONLY_SAID_IN: readonly { readonly what: RegExp; readonly file: string }[] = [
  { what: /Date\.now\b|new Date\(\)|performance\.timeOrigin/, file: "src/process/clock.ts" },
  { what: /process\.env|Bun\.env|import\.meta\.env/, file: "src/config.ts" },
];

/** State that a module may keep for itself: the names, and why nobody is surprised by it. */
const MAY_KEEP: Readonly<Record<string, { readonly names: readonly string[]; readonly why: string }>> = {
  "src/http/content/answer.ts": {
    names: ["usualHeaders"],
    why: "what a file as it was read is sent with, found by that and gone with it",
  },
  "src/http/dashboard/bundles.ts": {
    names: ["bundles"],
    why: "what a process that runs from source has bundled, since tests open many servers in one",
  },
  "src/http/gate/request-context.ts": {
    names: ["contexts"],
    why: "the context of a request, found by the request and gone with it",
  },
};

/** Modules that do something as soon as they are imported: where a program or a worker begins. */
const MAY_BEGIN: readonly string[] = [
  "src/build.ts",
  "src/db/upkeep/database-copy-worker.ts",
  "src/db/engine/checkpoint-worker.ts",
  "src/db/search/worker.ts",
  "src/dev.ts",
  "src/extraction/extraction-worker.ts",
  "src/main.ts",
  "src/release/executable.ts",
  "src/release/release.ts",
  "src/services/history/diff-worker.ts",
  "src/services/grep/grep-worker.ts",
  "src/services/search/embedding-worker.ts",
  "src/services/search/index-worker.ts",
];

function layerOf(path: string): string {
  const [first = "", second] = path.split("/");
  return first === "src" ? (second ?? "") : path;
}

const sources = await sourcesIn("src");
const tests = await sourcesIn("test");

function roomOf(path: string): string | null {
  const [, layer, room] = path.split("/");
  return layer === "http" ? (room ?? null) : null;
}

/** What those that files belong to import of each other. */
function importsAmong(ownerOf: (path: string) => string | null): Record<string, string[]> {
  const used = new Map<string, Set<string>>();
  for (const source of sources) {
    const owner = ownerOf(source.path);
    if (owner === null) continue;
    const targets = used.get(owner) ?? new Set();
    used.set(owner, targets);
    for (const target of ownImportsOf(source).map(ownerOf)) {
      if (target !== null && target !== owner) targets.add(target);
    }
  }
  return Object.fromEntries(Array.from(used, ([owner, targets]) => [owner, [...targets].toSorted()]));
}

test("the tables name every layer there is, and every room of src/http, and allow nothing that nobody uses", () => {
  expect(importsAmong(layerOf)).toEqual(MAY_IMPORT);
  expect(importsAmong(roomOf)).toEqual(HTTP_ROOMS);
});

test("every floor has rooms of the same names", () => {
  for (const [floor, own] of Object.entries(FLOORS)) {
    const rooms = new Set(
      sources.flatMap(({ path }) => (path.startsWith(`${floor}/`) ? [roomAt(path, floor)] : [])),
    );
    const known = [...topics, ...own].filter((room) => rooms.has(room)).toSorted();
    expect([floor, [...rooms].filter((room) => !room.endsWith(".ts")).toSorted()]).toEqual([floor, known]);
  }
});

function roomAt(path: string, floor: string): string {
  return path.slice(floor.length + 1).split("/")[0] ?? "";
}

test("no folder has more files than one can look over", () => {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > FILES_A_FOLDER)).toEqual([]);
});

test("the engine of the database knows no table", () => {
  const engine = sources.filter(({ path }) => path.startsWith("src/db/engine/"));
  const others = engine.flatMap(ownImportsOf).filter((path) => /^src\/db\/(?!engine\/)/.test(path));
  expect(others).toEqual([]);
});

test("rows of files come, change, move and go in one statement each, and for the tree alone", async () => {
  const all = [...sources, ...(await sourcesIn("src", ["sql"]))];
  const statements =
    /\b(?:(?:insert|replace)\b[\s\w]*\binto|delete\s+from|update(?:\s+or\s+\w+)?)\s+["`[]?file\b/gi;
  const calls = /\bfiles\s*\.\s*(?:insert|insertPast|restore|update|place|remove)\(/g;
  expect(placesOf(statements, all)).toEqual([
    ...["INSERT INTO file", "UPDATE file", "UPDATE file", "DELETE FROM file"].map(
      (text) => `src/db/files/files.ts: ${text}`,
    ),
    // Triggers that keep `era`, which no code writes.
    ...Array<string>(2).fill("src/db/engine/migrations/0027_history.sql: UPDATE file"),
    // What lists show of the files that were there before.
    "src/db/engine/migrations/0035_shown_times_search_jobs.sql: UPDATE file",
  ]);
  // In `http`, `files` are the use cases.
  const services = sources.filter(({ path }) => layerOf(path) !== "http");
  expect(placesOf(calls, services).toSorted()).toEqual(
    ["insert", "insertPast", "place", "remove", "restore", "update"].map(
      (name) => `src/services/files/tree.ts: files.${name}(`,
    ),
  );
});

/** Where a pattern is found, and as what. */
function placesOf(pattern: RegExp, among: readonly Source[]): string[] {
  return among.flatMap(({ path, text }) =>
    Array.from(text.matchAll(pattern), ([found]) => `${path}: ${found}`),
  );
}

test("every class of src/services is made from one object of parts", () => {
  // An error takes what it says.
  const classes = /^(?:export )?class (\w+) (?!extends \w*Error\b)[^]*?^\}/gm;
  for (const { text } of sources.filter(({ path }) => layerOf(path) === "services")) {
    for (const [body, name] of text.matchAll(classes)) {
      const [, parameters = ""] = /\bconstructor\(([^]*?)\) \{/.exec(body) ?? [];
      expect([name, withoutNested(parameters)]).toEqual([
        name,
        expect.stringMatching(/^\s*(?:parts: [\w &]*,?\s*)?$/),
      ]);
    }
  }
});

/** A list of parameters without the insides of their types. */
function withoutNested(parameters: string): string {
  const shorter = parameters.replace(/=>|\{[^{}]*\}|\([^()]*\)|<[^<>]*>/g, "");
  return shorter === parameters ? parameters : withoutNested(shorter);
}

test("a start loads no more of others than this, nor what only commands and some requests need", () => {
  const loaded = loadedWith("src/main.ts", sources);
  expect(loaded.filter((path) => !/^(src|web)\//.test(path))).toEqual([
    "@sinclair/typebox",
    "@sinclair/typebox/compiler",
    "bun:ffi",
    "bun:sqlite",
    "node:buffer",
    "node:fs",
    "node:fs/promises",
    "node:os",
    "node:path",
    "node:timers/promises",
    "package.json",
  ]);
  expect(
    loaded.filter((path) =>
      /^src\/(acme|backup|migration|s3|verify|blobs\/migration|db\/verify)\/|\/(router|openapi)\.ts$/.test(
        path,
      ),
    ),
  ).toEqual([]);
});

test("no two exported classes share a name", () => {
  const names = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/^export class (\w+)/gm), ([, name = ""]) => name),
  );
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("no files import each other in a circle", () => {
  expect(circlesIn(sources)).toEqual([]);
});

describe.each(sources.map((source) => [source.path, source] as const))("%s", (path, source) => {
  const layer = layerOf(path);

  test("imports only what its layer may", () => {
    for (const target of ownImportsOf(source).map(layerOf)) {
      if (target !== layer) expect(MAY_IMPORT[layer]).toContain(target);
    }
    for (const name of importsOf(source)) {
      for (const { module, places } of ONLY_IN) {
        const isAllowed = places.some((place) => `${path}/`.startsWith(`src/${place}/`));
        if (module.test(name)) expect([name, isAllowed]).toEqual([name, true]);
      }
    }
  });

  test("leaves time and environment to the files that are for them", () => {
    for (const { what, file } of ONLY_SAID_IN) if (path !== file) expect(source.text).not.toMatch(what);
  });

  test("has no state of its own, is no barrel, and is short enough to read", () => {
    expect(stateIn(source)).toEqual([...(MAY_KEEP[path]?.names ?? [])]);
    expect(effectsIn(source).length > 0).toBe(MAY_BEGIN.includes(path));
    expect(source.text).not.toMatch(/^export (?:type )?(?:\*|\{[^}]*\} from)/m);
    expect(source.text.split("\n").length).toBeLessThanOrEqual(300);
  });
});

test.each(tests.map((source) => [source.path, source] as const))(
  "%s runs all of its tests",
  (_, { text }) => {
    expect(text).not.toMatch(/\b(?:test|describe|it)(?:\.\w+)*\.(?:only|skip|todo)\b/);
  },
);
