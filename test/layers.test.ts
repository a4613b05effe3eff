import { describe, expect, test } from "bun:test";
import { dirname, join, normalize, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");

/**
 * Who may import whom. A folder of src/ is one layer, a file directly in src/ one of its own. What
 * is not written here is forbidden, so a new dependency is a decision made in this table.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "main.ts": ["commands"],
  commands: [
    "accounts.ts",
    "appliance.ts",
    "clock.ts",
    "config",
    "config.ts",
    "domain",
    "local-address.ts",
    "log.ts",
    "version.ts",
  ],
  "appliance.ts": [
    "blobs",
    "clock.ts",
    "config.ts",
    "data-directory.ts",
    "database-reserve.ts",
    "db",
    "domain",
    "http",
    "local-address.ts",
    "log.ts",
    "repeat.ts",
    "services",
    "store-identity.ts",
    "version.ts",
  ],
  "accounts.ts": ["clock.ts", "config.ts", "data-directory.ts", "db", "services", "store-identity.ts"],
  http: ["clock.ts", "descriptors.ts", "domain", "log.ts", "services", "web/index.html"],
  services: ["blobs", "clock.ts", "db", "descriptors.ts", "domain", "log.ts"],
  db: ["clock.ts", "database-reserve.ts", "descriptors.ts", "domain"],
  blobs: ["domain"],
  domain: [],
  "config.ts": ["config", "domain"],
  config: ["domain"],
  // The lock of the directory is a database.
  "data-directory.ts": ["config", "database-reserve.ts", "db"],
  // Whether the database and the contents belong together: the one thing that has to do with both.
  "store-identity.ts": ["blobs", "clock.ts", "data-directory.ts", "db", "domain"],
  "log.ts": ["clock.ts"],
  "database-reserve.ts": [],
  "repeat.ts": ["domain", "log.ts"],
  "clock.ts": [],
  "descriptors.ts": ["domain"],
  "local-address.ts": [],
  "version.ts": ["package.json"],
  "build.ts": [],
};

/**
 * Who may import whom inside `src/http`: a room names those below it that it uses. A file directly in
 * `src/http` stands above the rooms.
 */
const HTTP_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "app.ts": ["dashboard", "gate", "handler.ts", "resources", "sign-in"],
  "handler.ts": ["docs", "gate", "resources"],
  "server.ts": ["gate", "listener.ts"],
  "listener.ts": [],
  dashboard: ["gate", "sign-in"],
  docs: ["gate", "operation"],
  "sign-in": ["gate", "operation", "resources"],
  resources: ["content", "gate", "operation", "upload"],
  content: ["gate"],
  upload: ["operation"],
  operation: ["gate"],
  gate: [],
};

/** Modules from outside that only some layers may use. */
const ONLY_IN: readonly { readonly module: RegExp; readonly layers: readonly string[] }[] = [
  { module: /^(elysia|@elysiajs\/.*|@remix-run\/.*|swagger-ui-dist\/.*)$/, layers: ["http"] },
  { module: /^@sinclair\/typebox/, layers: ["http"] },
  { module: /^bun:sqlite$/, layers: ["db"] },
  {
    module: /^node:fs/,
    // `commands` for the process's own terminal.
    layers: ["blobs", "commands", "data-directory.ts", "database-reserve.ts", "descriptors.ts", "build.ts"],
  },
  {
    module: /^node:(net|http|https|dgram|tls|child_process|worker_threads)$/,
    layers: ["config", "http", "local-address.ts"],
  },
];

/** What only one file may say. */
const ONLY_SAID_IN: readonly { readonly what: RegExp; readonly file: string }[] = [
  { what: /Date\.now\b|new Date\(\)|performance\.timeOrigin/, file: "src/clock.ts" },
  { what: /process\.env|Bun\.env|import\.meta\.env/, file: "src/config.ts" },
];

/**
 * Something that changes, or may, kept by a module instead of an object: a `let`, and a collection whose type
 * does not say that it is only read.
 */
const MODULE_STATE = [
  /^(?:export )?(?:let|var) /m,
  /^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = new (?:Weak)?(?:Map|Set)\b/m,
  /^(?:export )?const \w+(?:: [^=]+)? = (?:\[\]|\{\})/m,
];

const MAY_KEEP_STATE: readonly string[] = [
  // The context of a request, found by the request and gone with it.
  "src/http/gate/request-context.ts",
];

/** What runs because a module is imported. */
const SIDE_EFFECT = /^(?:import "|await |if |for |while |[\w.]+\()/m;

const MAY_RUN_WHEN_LOADED: readonly string[] = ["src/main.ts", "src/build.ts", "src/db/search/worker.ts"];

interface Source {
  /** From the root of the project, such as `src/db/files.ts`. */
  readonly path: string;
  readonly text: string;
}

function sourcesIn(folder: string): Promise<Source[]> {
  const paths = [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)].toSorted();
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
}

/** The modules a source names, those of its types included, which the runtime's own scanner leaves out. */
function importsOf({ text }: Source): string[] {
  const named = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g);
  return [...named].map((match) => match[1] ?? "");
}

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
  return importedFiles(source).map(layerOf);
}

/** The files of this project that a source names, from the root of the project. */
function importedFiles(source: Source): string[] {
  return importsOf(source)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, normalize(join(ROOT, dirname(source.path), name))));
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
    for (const target of importedFiles(source).map(roomOf)) {
      if (target !== null && target !== room) targets.add(target);
    }
  }
  const found = [...used].map(([room, targets]) => [room, [...targets].toSorted()]);
  expect(Object.fromEntries(found)).toEqual(HTTP_ROOMS);
});

test("no files import each other in a circle", () => {
  const targets = new Map(sources.map((source) => [source.path, importedFiles(source)]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) throw new Error([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
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
    if (!MAY_KEEP_STATE.includes(path))
      for (const state of MODULE_STATE) expect(source.text).not.toMatch(state);
    if (!MAY_RUN_WHEN_LOADED.includes(path)) expect(source.text).not.toMatch(SIDE_EFFECT);
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
