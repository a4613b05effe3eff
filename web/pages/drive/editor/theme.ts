import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/**
 * How the text looks. It stands in a shadow root, since only there CodeMirror adds its styles in a way that the page's
 * Content-Security-Policy allows; the colours of `styles/tokens.css` reach into it.
 */
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)" },
  // The page draws it around all.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "0.875rem", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--text-soft)", backgroundColor: "var(--surface)", border: "none" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  ".cm-specialChar": { color: "var(--danger)" },
  ".cm-merged": { backgroundColor: "var(--good-soft)", boxShadow: "inset 3px 0 var(--good)" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--surface-sunken)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-textfield, .cm-button": {
    color: "var(--text)",
    background: "var(--surface)",
    border: "1px solid var(--line-strong)",
    fontSize: "0.875rem",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--text)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)", outline: "2px solid var(--accent)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.tagName, tags.atom, tags.bool], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp, tags.inserted, tags.url], color: "var(--good)" },
  { tag: [tags.number, tags.propertyName, tags.attributeName], color: "var(--warn)" },
  { tag: [tags.deleted, tags.invalid], color: "var(--danger)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction, tags.quote], color: "var(--text-soft)" },
  { tag: tags.heading, fontWeight: "bold", color: "var(--accent)" },
  { tag: tags.strong, fontWeight: "bold" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.link, textDecoration: "underline" },
]);

/** The look of the editor, in both colour schemes. */
export const theme: Extension = [look, syntaxHighlighting(colours)];
