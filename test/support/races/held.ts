import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scheduler } from "fast-check";
import type { BlobStore } from "../../../src/blobs/blob-store.ts";
import type { BlobWriter } from "../../../src/blobs/blob-writer.ts";
import type { Database } from "../../../src/db/engine/database.ts";
import { openTables, type Tables } from "../../../src/db/tables.ts";

/** How many turns of the event loop what is under way may take before something else goes on. */
const PATIENCE_TURNS = 30;

/** More than any function awaits one after another. */
const MOST_STEPS = 50;

/**
 * Holds the results of real calls back, and gives them out one at a time in the order that a scheduler of fast-check
 * chooses. So a test decides, and can repeat, in which order things that happen at once go on. The calls themselves
 * begin at once, as they do without it: what must be one synchronous step stays one.
 */
export class HeldResults {
  #scheduler: Scheduler | null = null;
  #underWay = 0;

  /** The object; each promise that its methods return is held during `race`. */
  of<T extends object>(name: string, target: T): T {
    return new Proxy(target, {
      get: (_, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) => {
          const result: unknown = Reflect.apply(member, target, args);
          return result instanceof Promise ? this.hold(`${name}.${String(property)}`, result) : result;
        };
      },
    });
  }

  /** The result, held during `race`. */
  async hold<T>(label: string, result: Promise<T>): Promise<T> {
    const scheduler = this.#scheduler;
    if (scheduler === null) return result;
    this.#underWay += 1;
    await Promise.allSettled([result]);
    this.#underWay -= 1;
    // What goes on in the background may outlast its race: then nobody would give it out.
    if (this.#scheduler === scheduler) await scheduler.schedule(Promise.resolve(), label);
    return result;
  }

  /** Runs what happens at once, in the order that the scheduler chooses. */
  async race<T>(scheduler: Scheduler, begin: () => Promise<T>): Promise<T> {
    this.#scheduler = scheduler;
    const now = { hasEnded: false, isWaiting: false };
    try {
      const end = begin().finally(() => {
        now.hasEnded = true;
      });
      while (!now.hasEnded) {
        // Everything that can go on without the event loop does so.
        for (let step = 0; step < MOST_STEPS; step += 1) await Promise.resolve();
        if (this.#underWay > 0 && !now.isWaiting) {
          now.isWaiting = true;
          // It has the same chance as every other task: so others go on before a call has ended, and after it.
          const settle = () => this.#settle().finally(() => (now.isWaiting = false));
          scheduler.scheduleSequence([{ label: "the calls that are under way", builder: settle }]);
        }
        await (scheduler.count() > 0 ? scheduler.waitOne() : nextTurn());
      }
      return await end;
    } finally {
      this.#scheduler = null;
      await scheduler.waitAll();
    }
  }

  /** Lets the calls that are under way end. A write may wait for another one: then it goes on without it. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < PATIENCE_TURNS && this.#underWay > 0; turn += 1) await nextTurn();
  }
}

/** The tables of a database, with the results of their writes held. */
export function heldTables(held: HeldResults, database: Database): Tables {
  const tables = openTables(database);
  const { write, writeFromReserve } = held.of("tables", tables);
  return { ...tables, write, writeFromReserve };
}

/** How many shards a sweep searches at once. */
export const FIRST_SHARDS = 4;

/** The blob store, held. It shows only its first shards: if all contents are there, each sweep sees all. */
export function heldBlobs(held: HeldResults, blobs: BlobStore): BlobStore {
  const heldStore = held.of("blobs", blobs);
  return new Proxy(heldStore, {
    get: (_, property) => {
      if (property === "shardCount") return FIRST_SHARDS;
      if (property === "create") {
        return async (): Promise<BlobWriter> => held.of("writer", await heldStore.create());
      }
      const member: unknown = Reflect.get(heldStore, property);
      return member;
    },
  });
}
