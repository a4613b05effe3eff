import { type Measure, type PeerName, type Values, verdictOn, tableRow } from "./table.ts";

/** What has been measured so far, and what went wrong. */
export class Results {
  readonly #values = new Map<Measure, Partial<Record<PeerName, number[]>>>();
  /** What was skipped or failed, one sentence each. */
  readonly problems: string[] = [];

  add(measure: Measure, peer: PeerName, ...values: readonly number[]): void {
    const all = this.#values.get(measure) ?? {};
    this.#values.set(measure, all);
    (all[peer] ??= []).push(...values);
  }

  /** Keeps what went wrong and goes on. */
  problem(what: string, error: unknown): void {
    const said = `${what}: ${error instanceof Error ? error.message : String(error)}`.replaceAll(/\s+/g, " ");
    this.problems.push(said);
    process.stderr.write(`  ${said}\n`);
  }

  rowOf(measure: Measure): string {
    return tableRow(measure, this.#valuesOf(measure));
  }

  isMissed(measure: Measure): boolean {
    return verdictOn(measure, this.#valuesOf(measure)) === "missed";
  }

  #valuesOf(measure: Measure): Values {
    return this.#values.get(measure) ?? {};
  }
}
