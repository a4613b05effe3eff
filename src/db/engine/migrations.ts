import type { Migration } from "./migration-files.ts";
import { schemaOf, stepsIn } from "./migration-files.ts" with { type: "macro" };

/** Every step of the schema, in order. Their text is put in when this module is compiled. */
export const MIGRATIONS: readonly Migration[] = stepsIn("migrations");

/** What they make of a new database, all at once. */
export const SCHEMA = schemaOf("migrations");
