import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import packageJson from "../package.json";

const ROOT = resolve(import.meta.dir, "..");

interface Document {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

async function documents(...patterns: readonly string[]): Promise<Document[]> {
  const paths = patterns.flatMap((pattern) =>
    [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].toSorted(),
  );
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
}

const guides = await documents("README.md", ".github/docs/*.md", "{.github,src,test,web}/*.md");
const workflows = await documents(".github/workflows/*.yml");

test("there are guides and workflows", () => {
  expect(guides.length).toBeGreaterThanOrEqual(20);
  expect(workflows.map(({ path }) => path)).toEqual([
    ".github/workflows/release.yml",
    ".github/workflows/tests.yml",
  ]);
});

describe.each(guides.map((guide) => [guide.path, guide.text] as const))("%s", (path, text) => {
  test("links to files and sections that there are", async () => {
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (target.startsWith("https:")) continue;
      const [file = "", section] = target.split("#");
      const linked = file === "" ? join(ROOT, path) : join(ROOT, dirname(path), file);
      expect([target, existsSync(linked)]).toEqual([target, true]);
      if (section !== undefined) {
        expect([target, sectionsOf(await Bun.file(linked).text())]).toEqual([
          target,
          expect.arrayContaining([section]),
        ]);
      }
    }
  });

  test("names scripts and test files that there are", () => {
    const scripts = Object.keys(packageJson.scripts);
    for (const [, name = ""] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toContain(name);
    for (const [name] of text.matchAll(/\b(?:src|web|test)\/[\w./-]+\.(?:ts|tsx|sh|sql)\b/g)) {
      expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
    }
  });
});

/** The names that links to the headings of a document end with, as GitHub makes them. */
function sectionsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(/\s/g, "-"),
  );
}

test("the map of the server names only files and folders that there are", async () => {
  const map = await Bun.file(join(ROOT, "src/README.md")).text();
  const named = Array.from(map.matchAll(/`([\w./-]+(?:\/|\.ts|\.sql))`/g), ([, path = ""]) => path);
  const paths = named.filter((path) => !path.includes("NNNN"));
  expect(paths.length).toBeGreaterThan(50);
  const missing = paths.filter(
    (path) => !existsSync(join(ROOT, "src", path)) && !existsSync(join(ROOT, path)),
  );
  expect(missing).toEqual([]);
});

describe.each(workflows.map((workflow) => [workflow.path, workflow.text] as const))("%s", (_, text) => {
  test("is YAML, and says what it may do", () => {
    expect(Bun.YAML.parse(text)).toMatchObject({ permissions: { contents: "read" } });
  });

  test("names a version of each action", () => {
    for (const [, action = ""] of text.matchAll(/\buses: (\S+)/g)) {
      expect(action).toMatch(/^(?:\.\/|[\w-]+\/[\w-]+@(?:v\d+(?:\.\d+)*|[0-9a-f]{40})$)/);
    }
  });

  test("runs scripts and files that there are", () => {
    for (const [, name = ""] of text.matchAll(/npm run ([\w:]+)/g)) {
      expect(Object.keys(packageJson.scripts)).toContain(name);
    }
    for (const [, path = ""] of text.matchAll(/(?:run: |uses: \.\/)(\.[\w./-]+)$/gm)) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
    }
  });
});

test("the manual shows the configurations of proxies that are tried", async () => {
  const page = await Bun.file(join(ROOT, ".github/docs/network.md")).text();
  const tried = await documents(".github/proxies/*");
  expect(tried).toHaveLength(4);
  for (const { path, text } of tried)
    expect([path, page]).toEqual([path, expect.stringContaining(text.trim())]);
});
