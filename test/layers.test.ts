import { describe, expect, test } from "bun:test";
import {
  circlesIn,
  effectsIn,
  importsOf,
  ownImportsOf,
  type Source,
  sourcesIn,
  stateIn,
} from "./support/sources.ts";

/**
 * Who may import whom. A folder of src/ is one layer, a file directly in src/ one of its own. What
 * is not written here is forbidden, so a new dependency is a decision made in this table.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "main.ts": ["commands"],
  commands: [
    "accounts.ts",
    "appliance.ts",
    "backup",
    "clock.ts",
    "config",
    "config.ts",
    "data-directory.ts",
    "descriptors.ts",
    "domain",
    "extraction",
    "local-address.ts",
    "log.ts",
    "read-only-directory.ts",
    "verify",
    "version.ts",
  ],
  "appliance.ts": [
    "blobs",
    "clock.ts",
    "closed-to-others.ts",
    "config.ts",
    "data-directory-error.ts",
    "data-directory.ts",
    "database-reserve.ts",
    "db",
    "domain",
    "http",
    "local-address.ts",
    "log.ts",
    "public-network.ts",
    "repeat.ts",
    "schema-copy.ts",
    "services",
    "store-identity.ts",
    "version.ts",
  ],
  // A store while a server may use it: its database, and its contents without the locks and caches of a server.
  backup: [
    "blobs",
    "clock.ts",
    "data-directory-error.ts",
    "data-directory.ts",
    "db",
    "domain",
    "read-only-directory.ts",
  ],
  "accounts.ts": [
    "clock.ts",
    "config.ts",
    "data-directory.ts",
    "db",
    "read-only-directory.ts",
    "services",
    "store-identity.ts",
  ],
  http: [
    "clock.ts",
    "descriptors.ts",
    "domain",
    "log.ts",
    "services",
    "web/index.html",
    "web/markdown-worker.html",
    "web/pdf-worker.html",
  ],
  // Checks a store from outside, also beside a server.
  verify: ["blobs", "clock.ts", "data-directory-error.ts", "data-directory.ts", "db", "domain"],
  // Reads documents, in a process of its own.
  extraction: ["domain"],
  services: [
    "blobs",
    "clock.ts",
    "db",
    "descriptors.ts",
    "domain",
    "extraction",
    "log.ts",
    "public-network.ts",
    "thread-priority.ts",
    "thread-start.ts",
  ],
  // The one way to servers whose names others choose.
  "public-network.ts": ["descriptors.ts", "domain"],
  // The database says which version of Coffer upgraded it.
  db: [
    "clock.ts",
    "database-log.ts",
    "database-reserve.ts",
    "descriptors.ts",
    "domain",
    "thread-start.ts",
    "version.ts",
  ],
  blobs: ["domain"],
  domain: [],
  "config.ts": ["config", "domain"],
  config: ["domain"],
  // The lock of the directory is a database.
  "data-directory.ts": ["config", "data-directory-error.ts", "database-reserve.ts", "db"],
  "data-directory-error.ts": [],
  "closed-to-others.ts": [],
  "read-only-directory.ts": ["data-directory-error.ts", "data-directory.ts"],
  // The copy of the database before its schema is upgraded.
  "schema-copy.ts": ["data-directory.ts", "db", "log.ts"],
  // Whether the database and the contents belong together: the one thing that has to do with both.
  "store-identity.ts": ["blobs", "clock.ts", "data-directory-error.ts", "data-directory.ts", "db", "domain"],
  "log.ts": ["clock.ts"],
  "database-log.ts": [],
  "database-reserve.ts": [],
  "repeat.ts": ["domain", "log.ts"],
  "clock.ts": [],
  "descriptors.ts": ["domain"],
  "local-address.ts": ["domain"],
  "thread-priority.ts": [],
  "thread-start.ts": ["descriptors.ts"],
  "version.ts": ["package.json"],
  "build.ts": [],
  "dev.ts": [],
};

/**
 * Who may import whom inside `src/http`: a room names those below it that it uses. A file directly in
 * `src/http` stands above the rooms.
 */
const HTTP_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "app.ts": ["dashboard", "docs", "gate", "handler.ts", "mcp", "oauth", "resources", "sign-in"],
  "handler.ts": ["docs", "gate", "resources"],
  "server.ts": ["gate", "listener.ts"],
  "listener.ts": [],
  dashboard: ["content", "gate", "sign-in"],
  docs: ["content", "gate", "operation"],
  mcp: ["content", "gate", "operation", "resources"],
  "sign-in": ["gate", "operation", "resources"],
  oauth: ["gate", "operation", "sign-in"],
  resources: ["content", "gate", "operation", "upload"],
  content: ["gate"],
  upload: ["gate", "operation"],
  operation: ["gate"],
  gate: [],
};

/** Modules from outside that only some layers may use. */
const ONLY_IN: readonly { readonly module: RegExp; readonly layers: readonly string[] }[] = [
  {
    module: /^(elysia|@elysiajs\/.*|@remix-run\/.*|swagger-ui-dist\/.*|@modelcontextprotocol\/.*)$/,
    layers: ["http"],
  },
  { module: /^@sinclair\/typebox/, layers: ["http"] },
  { module: /^bun:sqlite$/, layers: ["db"] },
  {
    module: /^node:fs/,
    // `commands` for the process's own terminal.
    layers: [
      "backup",
      "blobs",
      "closed-to-others.ts",
      "commands",
      "data-directory-error.ts",
      "data-directory.ts",
      "database-log.ts",
      "database-reserve.ts",
      "descriptors.ts",
      "read-only-directory.ts",
      "schema-copy.ts",
      "thread-priority.ts",
      "thread-start.ts",
      "build.ts",
      "dev.ts",
    ],
  },
  {
    module: /^node:(net|http|https|dgram|tls|child_process|worker_threads)$/,
    layers: ["config", "http", "local-address.ts", "public-network.ts"],
  },
];

/** What only one file may say. */
const ONLY_SAID_IN: readonly { readonly what: RegExp; readonly file: string }[] = [
  { what: /Date\.now\b|new Date\(\)|performance\.timeOrigin/, file: "src/clock.ts" },
  { what: /process\.env|Bun\.env|import\.meta\.env/, file: "src/config.ts" },
];

/** State that a module may keep for itself: the names, and why nobody is surprised by it. */
const MAY_KEEP: Readonly<Record<string, { readonly names: readonly string[]; readonly why: string }>> = {
  "src/http/dashboard/assets.ts": {
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
  "src/db/snapshot-worker.ts",
  "src/db/upkeep-worker.ts",
  "src/db/search/worker.ts",
  "src/dev.ts",
  "src/extraction/extraction-worker.ts",
  "src/main.ts",
  "src/services/diff/diff-worker.ts",
  "src/services/grep/grep-worker.ts",
  "src/services/search/index-worker.ts",
];

function layerOf(path: string): string {
  const [first = "", second] = path.split("/");
  return first === "src" ? (second ?? "") : path;
}

const sources = await sourcesIn("src");
const tests = await sourcesIn("test");

test("the table names every layer there is, and no other", () => {
  const layers = new Set(sources.map(({ path }) => layerOf(path)));
  expect(Object.keys(MAY_IMPORT).toSorted()).toEqual([...layers].toSorted());
});

test("the table allows nothing that nobody uses", () => {
  const used = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const target of ownImports(source)) {
      if (target !== layerOf(source.path)) {
        used.set(layerOf(source.path), (used.get(layerOf(source.path)) ?? new Set()).add(target));
      }
    }
  }
  for (const [layer, allowed] of Object.entries(MAY_IMPORT)) {
    expect([layer, allowed]).toEqual([layer, [...(used.get(layer) ?? [])].toSorted()]);
  }
});

function ownImports(source: Source): string[] {
  return ownImportsOf(source).map(layerOf);
}

function roomOf(path: string): string | null {
  const [, layer, room] = path.split("/");
  return layer === "http" ? (room ?? null) : null;
}

test("the rooms of src/http import only what the table names", () => {
  const used = new Map<string, Set<string>>();
  for (const source of sources) {
    const room = roomOf(source.path);
    if (room === null) continue;
    const targets = used.get(room) ?? new Set();
    used.set(room, targets);
    for (const target of ownImportsOf(source).map(roomOf)) {
      if (target !== null && target !== room) targets.add(target);
    }
  }
  const found = [...used].map(([room, targets]) => [room, [...targets].toSorted()]);
  expect(Object.fromEntries(found)).toEqual(HTTP_ROOMS);
});

test("rows of files come, change, move and go in one statement each, and for the tree alone", async () => {
  const all = [...sources, ...(await sourcesIn("src", ["sql"]))];
  const statements =
    /\b(?:(?:insert|replace)\b[\s\w]*\binto|delete\s+from|update(?:\s+or\s+\w+)?)\s+["`[]?file\b/gi;
  const calls = /\bfiles\s*\.\s*(?:insert|insertPast|restore|update|place|remove)\(/g;
  expect(placesOf(statements, all)).toEqual([
    // A new file, and one that comes back from the trash.
    ...["INSERT INTO file", "INSERT INTO file", "UPDATE file", "UPDATE file", "DELETE FROM file"].map(
      (text) => `src/db/files.ts: ${text}`,
    ),
    // Triggers that keep `era`, which no code writes.
    ...Array<string>(2).fill("src/db/migrations/0027_history.sql: UPDATE file"),
  ]);
  // In `http`, `files` are the use cases.
  const services = sources.filter(({ path }) => layerOf(path) !== "http");
  expect(placesOf(calls, services).toSorted()).toEqual(
    ["insert", "insertPast", "place", "remove", "restore", "update"].map(
      (name) => `src/services/tree.ts: files.${name}(`,
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
      expect([name, withoutNested(parameters)]).toEqual([name, expect.stringMatching(/^(?:parts: \w*)?$/)]);
    }
  }
});

/** A list of parameters without the insides of their types. */
function withoutNested(parameters: string): string {
  const shorter = parameters.replace(/=>|\{[^{}]*\}|\([^()]*\)|<[^<>]*>/g, "");
  return shorter === parameters ? parameters : withoutNested(shorter);
}

test("a start does not load what describes the API, the MCP server, nor Node's streams", () => {
  const eager =
    /^import (?!type\b)[^;]*"(?:@elysiajs\/swagger|@modelcontextprotocol\/[^"]*|node:(?:crypto|net|stream|tty|util)|[^"]*\/openapi\.ts|[^"]*\/mcp\/(?:server|transport|resources)\.ts)"/m;
  expect(sources.filter(({ text }) => eager.test(text)).map(({ path }) => path)).toEqual([
    "src/http/docs/openapi.ts",
    "src/http/mcp/resources.ts",
    "src/http/mcp/server.ts",
    "src/http/mcp/transport.ts",
  ]);
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
    for (const target of ownImports(source)) {
      if (target !== layer) expect(MAY_IMPORT[layer]).toContain(target);
    }
    for (const name of importsOf(source)) {
      for (const { module, layers } of ONLY_IN) {
        if (module.test(name)) expect([name, layers]).toEqual([name, expect.arrayContaining([layer])]);
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
