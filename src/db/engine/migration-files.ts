import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One step of the schema. Never edit a released one: add a new step. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Reads the steps, each a file such as `0002_file_sorts.sql`. A macro: only the compiler calls it. */
export function stepsIn(folder: string): Migration[] {
  const root = join(import.meta.dir, folder);
  return readdirSync(root)
    .toSorted()
    .map((file) => {
      const [number = "", ...name] = file.replace(/\.sql$/, "").split("_");
      return { version: Number(number), name: name.join("-"), sql: readFileSync(join(root, file), "utf8") };
    });
}
