import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import packageJson from "../../../package.json";
import { SETTINGS } from "../../../src/config/settings.ts";
import { type Guide, guideOf, MANUAL_PAGES, README } from "../../support/guides/guides.ts";
import { runHere } from "../../support/server/run-here.ts";
import { settingsTable } from "../../support/server/settings-table.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const readme = await guideOf(README);
const pages = await Promise.all(MANUAL_PAGES.map(guideOf));
const guides = [readme, ...pages];

function page(name: string): Guide {
  const found = pages.find(({ path }) => path.endsWith(`/${name}.md`));
  if (found === undefined) throw new Error(`the manual has no page "${name}"`);
  return found;
}

function section({ path, text }: Guide, title: string): string {
  const found = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (found === undefined) throw new Error(`${path} has no section "${title}"`);
  return found;
}

/** The first fenced block of a section. */
function block(guide: Guide, title: string): string {
  const text = /^```\w*\n([^]*?)^```$/m.exec(section(guide, title))?.[1];
  if (text === undefined) throw new Error(`the section "${title}" has no block`);
  return text;
}

/** The names that a block for the shell sets. */
function namesSetIn(text: string): string[] {
  // The first of a line, and those after it that are nothing but names and values.
  const begun = text.match(/^(?:\w+=\S*(?: +|$))*\w+=/gm) ?? [];
  return begun.flatMap((line) => Array.from(line.matchAll(/(?<!\S)(\w+)=/g), ([, name = ""]) => name));
}

/** 2633 is COFF on a phone's keys, and the default of no other tool that is common on the same machines. */
const DEFAULT_ADDRESS = "http://localhost:2633";

test("the default port is 2633, in the settings, the manual and the Dockerfile alike", async () => {
  const dockerfile = await Bun.file(join(ROOT, "Dockerfile")).text();
  expect(SETTINGS.port.fallback).toBe("2633");
  expect(dockerfile).toMatch(/^EXPOSE 2633$/m);
  expect(section(page("install"), "Docker")).toContain("-p 2633:2633");
  const addresses = guides.flatMap(({ text }) => text.match(/http:\/\/localhost:\d+/g) ?? []);
  expect(new Set(addresses)).toEqual(new Set([DEFAULT_ADDRESS]));
});

test("every name in a block for the shell is set by the tour, or in the block itself", () => {
  const tour = namesSetIn(block(readme, "A tour in five calls"));
  const blocks = guides.flatMap(({ blocks: all }) =>
    all.filter(({ language }) => /^(?:sh|bash)$/.test(language)).map(({ text }) => text),
  );
  const used = blocks.flatMap((text) =>
    Array.from(text.matchAll(/\$\{?([A-Z]\w*)/g), ([, name = ""]) => name).filter(
      (name) => !namesSetIn(text).includes(name),
    ),
  );
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !tour.includes(name))).toEqual([]);
});

test("the table of settings is the executable's own", () => {
  expect(section(page("settings"), "Configuration")).toContain(settingsTable());
});

test("the list of commands is the executable's own", async () => {
  const listed = block(page("operate"), "Commands").match(/^coffer [a-z]+(?: [a-z][a-z-]*)?(?= |$)/gm);
  const { stdout } = await runHere(["--help"]);
  const known = [...stdout.matchAll(/^ {2}(\w+(?: [\w-]+)?) {2}/gm)].map((match) => `coffer ${match[1]}`);
  expect(listed?.toSorted()).toEqual(known.toSorted());
});

test("every npm command is a script of the project", () => {
  const commands = guides.flatMap(({ text }) => [
    ...text.matchAll(/(?:^|`)(?:npm|bun) (?!install )(?:run )?([\w:]+)/gm),
  ]);
  expect(commands.length).toBeGreaterThanOrEqual(5);
  for (const [command, script = ""] of commands) {
    expect([command, Object.keys(packageJson.scripts)]).toEqual([command, expect.arrayContaining([script])]);
  }
});

test("Bun is fetched in the version that its types are of", async () => {
  const script = await Bun.file(join(ROOT, "src/bun.sh")).text();
  expect(/^version=(.*)$/m.exec(script)?.[1]).toBe(packageJson.devDependencies["@types/bun"]);
});

test.each(["README.md", "Dockerfile", "package.json", ".ci/run"])(
  "%s names no version of Bun",
  async (name) => {
    expect(await Bun.file(join(ROOT, name)).text()).not.toMatch(/\bbun@/);
  },
);

test("the README is read in five minutes, and leads to each page of the manual", () => {
  expect(Buffer.byteLength(readme.text)).toBeLessThan(12_000);
  const index = guides.find(({ path }) => path === ".github/docs/README.md");
  for (const { path } of pages.filter((each) => each !== index)) {
    expect(readme.text).toContain(`](${path})`);
    expect(index?.text).toContain(`](${path.replace(".github/docs/", "")})`);
  }
});
