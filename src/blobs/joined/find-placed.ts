import { DamagedBlob } from "../blob-file.ts";
import { UnavailableBlob } from "../blob-place.ts";

/** How often all places are looked at: a blob may be moved to one just after that was looked at. */
const LOOKS = 2;

/**
 * What `read` gives for the first place that has a blob: it throws DamagedBlob for one that is missing there, before it
 * does anything else. Throws UnavailableBlob if none has it and one cannot be reached, and DamagedBlob if all can be.
 */
export async function findPlaced<P, T>(places: readonly P[], read: (place: P) => Promise<T>): Promise<T> {
  for (let look = 1; ; look += 1) {
    const first = await readFirst(places, read);
    if ("value" in first) return first.value;
    if (look === LOOKS || !(first.why instanceof DamagedBlob)) {
      throw first.why ?? new UnavailableBlob();
    }
  }
}

/** What the first place gives that has a blob; or why none does. */
async function readFirst<P, T>(
  places: readonly P[],
  read: (place: P) => Promise<T>,
): Promise<{ readonly value: T } | { readonly why: DamagedBlob | UnavailableBlob | null }> {
  let why: DamagedBlob | UnavailableBlob | null = null;
  for (const place of places) {
    try {
      return { value: await read(place) };
    } catch (error) {
      if (error instanceof UnavailableBlob) why = error;
      else if (error instanceof DamagedBlob && error.isMissing) why ??= error;
      else throw error;
    }
  }
  return { why };
}

/** Pieces that are read where a blob is found. Of each place the first piece is asked for, to know whether it has it. */
export async function* piecesFrom<P>(
  places: readonly P[],
  read: (place: P) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { first, pieces } = await findPlaced(places, async (place) => {
    const begun = read(place);
    return { first: await begun.next(), pieces: begun };
  });
  if (first.done === true) return;
  try {
    yield first.value;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}
