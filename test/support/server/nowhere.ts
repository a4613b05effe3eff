import { expect } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestAppliance } from "./appliance.ts";

/** These texts may be in no file of the data directory, and in no line of the log. */
export async function expectNowhere({ dataDir, lines }: TestAppliance, texts: readonly string[]) {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((name) => name.endsWith("coffer.db"))).toBe(true);
  const read = files.map(async (name) => [name, await readFile(name)] as const);
  const places = [...(await Promise.all(read)), ["the log", Buffer.from(lines.join("\n"))] as const];
  for (const [name, bytes] of places) {
    for (const text of texts) expect([name, text, bytes.includes(text)]).toEqual([name, text, false]);
  }
}
