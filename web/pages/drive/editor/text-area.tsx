import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Transaction } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Editing } from "../../../lib/editing/editing.ts";
import { nameOf } from "../../../lib/files.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import { languageOf } from "./languages.ts";
import { markChanged, mergedLines, unmark } from "./merged-lines.ts";
import { phrases } from "./phrases.ts";
import { theme } from "./theme.ts";
import { t } from "../../../lib/words/text.ts";

/** What every text is edited with. */
const EXTENSIONS: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  search({ top: true }),
  mergedLines,
  keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
  EditorView.lineWrapping,
  // Else a `\r` in a text whose lines end differently would be lost.
  EditorState.lineSeparator.of("\n"),
  EditorView.clipboardInputFilter.of((text) => text.replaceAll(/\r\n?/g, "\n")),
  theme,
];

interface TextAreaProps {
  readonly editing: Editing;
  /** Whether something else stands in its place for now. */
  readonly isHidden: boolean;
}

/** Where the text is written. The keys that are pressed in it reach nothing else on the page. */
export function TextArea({ editing, isHidden }: TextAreaProps) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView | null>(null);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const root = host.current.attachShadow({ mode: "open" });
    const language = new Compartment();
    const name = nameOf(editing.file.path);
    const view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: editing.doc.peek(),
        extensions: [
          EXTENSIONS,
          language.of([]),
          EditorState.phrases.of(phrases()),
          EditorView.contentAttributes.of({
            "aria-label": t("Text of {name}", { name: plain(name) }),
            "aria-description": t("To leave the text, press Escape, then Tab."),
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) editing.typed(state.doc);
          }),
        ],
      }),
    });
    shown.current = view;
    editing.follow((changes, isChosen) =>
      view.dispatch({
        changes,
        effects: markChanged.of(null),
        // Undo takes back what one did oneself.
        annotations: Transaction.addToHistory.of(isChosen),
      }),
    );
    let isOver = false;
    languageOf(name).then(
      (found) => {
        if (found !== null && !isOver) view.dispatch({ effects: language.reconfigure(found) });
      },
      // Without its colours, it is the same text.
      () => {},
    );
    return () => {
      isOver = true;
      view.destroy();
    };
  }, []);
  // Once a dialog around it is open, which moves the focus itself.
  useEffect(() => {
    if (!isHidden) shown.current?.focus();
  }, [isHidden]);
  const isMerged = editing.notice.value?.kind === "merged";
  useLayoutEffect(() => {
    if (!isMerged) shown.current?.dispatch({ effects: unmark.of(null) });
  }, [isMerged]);
  return <div ref={host} class={isHidden ? "editor-text is-behind" : "editor-text"} onKeyDown={keepKey} />;
}

function keepKey(event: KeyboardEvent): void {
  event.stopPropagation();
  // It is the first of the two keys that leave the text, and closes no dialog.
  if (event.key === "Escape") event.preventDefault();
}
