import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** Marks the lines that the same transaction changes. */
export const markChanged = StateEffect.define();
/** Takes all marks away. */
export const unmark = StateEffect.define();

/** Where more lines are new, nobody looks at each. */
const MOST_MARKED = 2000;

const line = Decoration.line({ class: "cm-merged" });

/** Shows which lines came from others. */
export const mergedLines: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects, state }) => {
    if (effects.some((effect) => effect.is(unmark))) return Decoration.none;
    const marks = before.map(changes);
    if (!effects.some((effect) => effect.is(markChanged))) return marks;
    const starts = new Set<number>();
    changes.iterChangedRanges((_from, _to, from, to) => {
      for (let at = from; at < to && starts.size < MOST_MARKED;) {
        const { from: start, to: end } = state.doc.lineAt(at);
        starts.add(start);
        at = end + 1;
      }
    });
    return marks.update({ add: Array.from(starts, (start) => line.range(start)), sort: true });
  },
  provide: (field) => EditorView.decorations.from(field),
});
