import initial from "./migrations/0001_initial.sql" with { type: "text" };

/** One step of the schema. Once released it is never edited: a change is a new step. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [{ version: 1, name: "initial", sql: initial }];
