import { setImmediate as nextTurn } from "node:timers/promises";
import { Recent } from "../domain/recent.ts";
import type { SteadyClock } from "../process/clock.ts";
import { Service } from "./service.ts";
import { Turns } from "./turns.ts";

/** How long others wait, in milliseconds: counts of several kinds may be under way. */
const TURN_MS = 1;
/** How many times as long as a count took its result is given out: so counts take up to 1 % of the time. */
const KEPT_TIMES = 100;

interface Result<Value> {
  readonly value: Value;
  /** On the clock that only goes on. */
  readonly until: number;
}

/** What is only known after all rows were looked at: counted when it is asked for, one after the other, and kept. */
export class KeptCounts<Key, Value> extends Service<{
  clock: SteadyClock;
  /** How many results are kept. */
  most: number;
}> {
  readonly #turns = new Turns<"count">();
  readonly #recent = new Recent<Key, Result<Value>>(this.parts.most);

  /** @param count in short steps, between which others have their turn */
  async of(key: Key, count: () => Generator<void, Value>): Promise<Value> {
    const known = this.#known(key) ?? (await this.#turns.take("count", () => this.#made(key, count)));
    return known.value;
  }

  #known(key: Key): Result<Value> | null {
    const known = this.#recent.get(key);
    return known !== undefined && this.parts.clock.elapsed() < known.until ? known : null;
  }

  async #made(key: Key, count: () => Generator<void, Value>): Promise<Result<Value>> {
    // Whoever was before may have asked for the same.
    const known = this.#known(key);
    if (known !== null) return known;
    const began = this.parts.clock.elapsed();
    const steps = count();
    let turn = began;
    for (;;) {
      const step = steps.next();
      const now = this.parts.clock.elapsed();
      if (step.done === true) {
        const result = { value: step.value, until: now + KEPT_TIMES * (now - began) };
        this.#recent.set(key, result);
        return result;
      }
      if (now - turn < TURN_MS) continue;
      await nextTurn();
      turn = this.parts.clock.elapsed();
    }
  }
}
