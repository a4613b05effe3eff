/**
 * A part of a merge of two texts that were made from the same one, in its order. Lines are counted in `mine`, where the
 * parts follow each other: those that stay, those that others have otherwise, and those that both have changed.
 */
export type Part =
  | { readonly kind: "kept"; readonly count: number }
  | { readonly kind: "taken"; readonly count: number; readonly lines: readonly string[] }
  | Collision;

/** Lines that both sides changed, each in its own way. */
export interface Collision {
  readonly kind: "collision";
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** Which side of a collision is taken; of both, mine comes first. */
export type Side = "mine" | "theirs" | "both";

/** Lines in place of others: so many from a line on, which is counted from 0. */
export interface LineEdit {
  readonly at: number;
  readonly count: number;
  readonly lines: readonly string[];
}

/** Three texts, the lines of which end with `\n`: what two were made from, and these two. */
export interface Sides {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** A merge of whole texts, where no more is known of what differs: theirs, or both as one collision. */
export function wholeMerge({ base, mine, theirs }: Sides): readonly Part[] {
  const [ours, others] = [mine.split("\n"), theirs.split("\n")];
  if (mine === base) return [{ kind: "taken", count: ours.length, lines: others }];
  return [{ kind: "collision", mine: ours, theirs: others }];
}

/** The collisions of a merge. */
export function collisionsOf(parts: readonly Part[]): readonly Collision[] {
  return parts.filter((part) => part.kind === "collision");
}

/**
 * What a merge changes in `mine`.
 *
 * @param sides for each collision, which side is taken; where none is given, both
 */
export function editsOf(parts: readonly Part[], sides: readonly Side[]): readonly LineEdit[] {
  const edits: LineEdit[] = [];
  const chosen = sides.values();
  let at = 0;
  for (const part of parts) {
    const count = part.kind === "collision" ? part.mine.length : part.count;
    if (part.kind !== "kept") {
      const lines = part.kind === "taken" ? part.lines : linesOf(part, chosen.next().value ?? "both");
      const before = edits.at(-1);
      if (before !== undefined && before.at + before.count === at) {
        edits.splice(-1, 1, {
          at: before.at,
          count: before.count + count,
          lines: [...before.lines, ...lines],
        });
      } else if (lines !== mineOf(part)) edits.push({ at, count, lines });
    }
    at += count;
  }
  return edits;
}

/** A change of a text, at places in it as it was before all of them. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Edits of lines as changes of the text, in their order. */
export function changesOf(text: string, edits: readonly LineEdit[]): readonly TextChange[] {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const end = text.length + 1;
  return edits.map(({ at, count, lines }) => {
    const insert = lines.map((line) => `${line}\n`).join("");
    const from = starts[at] ?? end;
    const to = starts[at + count] ?? end;
    if (to < end) return { from, to, insert };
    // The last line ends without a break. What comes after it brings the break before it instead.
    if (lines.length === 0) return { from: Math.max(0, from - 1), to: text.length, insert: "" };
    const last = insert.slice(0, -1);
    return from < end
      ? { from, to: text.length, insert: last }
      : { from: text.length, to: text.length, insert: `\n${last}` };
  });
}

function linesOf({ mine, theirs }: Collision, side: Side): readonly string[] {
  switch (side) {
    case "mine":
      return mine;
    case "theirs":
      return theirs;
    case "both":
      return [...mine, ...theirs];
  }
}

function mineOf(part: Part): readonly string[] | null {
  return part.kind === "collision" ? part.mine : null;
}
