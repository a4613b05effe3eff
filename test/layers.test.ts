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
  return importsOf(source)
    .filter((name) => name.startsWith("."))
    .map((name) => layerOf(relative(ROOT, normalize(join(ROOT, dirname(source.path), name)))));
}

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
    expect(source.text).not.toMatch(/^(?:export )?(?:let|var) /m);
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
