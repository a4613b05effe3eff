import * as fc from "fast-check";
import { CofferError } from "../../../src/domain/errors.ts";
import { HOSTILE_TEXTS } from "../generated/hostile.ts";

/** How often a rule is tried in an ordinary run. */
const ORDINARY = 50;

/**
 * How often a rule is tried: always with the same values in an ordinary run, and with more and ever new ones in
 * `many.long.test.ts`. A rule that fails prints its seed; `runs()` with `seed` and `path` from there repeats it.
 *
 * @param share of the usual number, for rules that cost more or less than others
 */
export function runs(share = 1): fc.Parameters<unknown> {
  const { numRuns } = fc.readConfigureGlobal();
  const count = Math.ceil((numRuns ?? ORDINARY) * share);
  return numRuns === undefined ? { numRuns: count, seed: 1 } : { numRuns: count };
}

type Arbitraries<Ts> = { [K in keyof Ts]: fc.Arbitrary<Ts[K]> };

/** Tries a rule with values of these kinds; for `share`, see `runs`. The rule is given last, and throws where it fails. */
export function forAll<Ts extends [unknown, ...unknown[]]>(
  share: number,
  ...rule: [...kinds: Arbitraries<Ts>, rule: (...values: Ts) => void]
): void {
  fc.assert(fc.property<Ts>(...rule), runs(share));
}

/** The same for a rule that resolves where it holds. */
export function forAllAsync<Ts extends [unknown, ...unknown[]]>(
  share: number,
  ...rule: [...kinds: Arbitraries<Ts>, rule: (...values: Ts) => Promise<void>]
): Promise<void> {
  return fc.assert(fc.asyncProperty<Ts>(...rule), runs(share));
}

/** Texts of every kind: words, any characters, halves of characters, and those that have broken servers. */
export function anyText(maxLength = 40): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ maxLength }),
    fc.string({ unit: "grapheme", maxLength }),
    fc.string({ unit: "binary", maxLength }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength })
      .map((units) => String.fromCharCode(...units)),
    fc.constantFrom(...HOSTILE_TEXTS),
    fc.tuple(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ maxLength })).map((parts) => parts.join("")),
  );
}

/** One of these UTF-16 units. */
export function anyOf(units: string): fc.Arbitrary<string> {
  return fc.constantFrom(...units.split(""));
}

/** What a function returns; null if it refuses. Any other error is thrown. */
export function unlessRefused<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CofferError) return null;
    throw error;
  }
}

/** Bytes, cut into pieces at any places. */
export async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])];
  places.sort((a, b) => a - b);
  for (const [index, from] of places.slice(0, -1).entries()) {
    // Each a copy, as pieces from a socket are.
    yield bytes.slice(from, places[index + 1]);
  }
}

/** Where to cut bytes; see `inPieces`. */
export const anyCuts = fc.array(fc.nat(100_000), { maxLength: 12 });
