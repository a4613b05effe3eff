import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { SINGLE_KEYS } from "../../lib/browser/single-keys.ts";
import type { TreeStore } from "../../lib/tree/tree.ts";
import { rowOfName, treeCommandOf } from "./keys.ts";
import type { TreeRow } from "../../lib/tree/tree-rows.ts";
import { scrollToRow } from "./use-scroll.ts";

/** Letters that follow each other within this time begin one name. */
const TYPING_MS = 700;

export interface TreeModel {
  readonly store: TreeStore;
  readonly driveName: string;
  /** The folder that one is in, or that is chosen. */
  readonly current: string;
  /** Whether a folder is chosen by going to it. */
  readonly choosesOnTheWay: boolean;
  readonly onChoose: (folder: string) => void;
}

/** Going about in a tree, which is `tree`, by keyboard and pointer. */
export function useTree(tree: RefObject<HTMLElement | null>, model: TreeModel) {
  const { store, onChoose } = model;
  const { rows } = store;
  const { active, setActive } = useActiveRow(tree, rows, model.current);
  const letters = useLetters();

  const choose = (index: number) => {
    const row = rows[index];
    setActive(index);
    if (row?.kind === "folder") onChoose(row.path);
    else if (row !== undefined) store.more(row.path);
  };
  const turn = (index: number) => {
    const row = rows[index];
    setActive(index);
    if (row?.kind !== "folder" || row.isOpen === null) return;
    if (row.isOpen) store.close(row.path);
    else store.open(row.path);
  };
  const go = (index: number) => {
    const row = rows[index];
    setActive(index);
    if (model.choosesOnTheWay && row?.kind === "folder") onChoose(row.path);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The list of files listens on the window. It must not delete what is selected there from here.
    if (!SINGLE_KEYS.includes(event.key)) event.stopPropagation();
    const typed = letters(event);
    const found = typed === null ? null : rowOfName(typed, rows, active, model.driveName);
    const command = typed === null ? treeCommandOf(event.key, rows, active) : null;
    if (found !== null) go(found);
    else if (command === null) return;
    else if (command.does === "go") go(command.row);
    else if (command.does === "choose") choose(active);
    else turn(active);
    event.preventDefault();
  };
  const focus = () => {
    // Not every program that reads the screen goes by our keys.
    const row = focusedRow(tree.current);
    if (row !== null && row !== active) setActive(row);
  };
  return { rows, active, choose, turn, press, focus };
}

/** The row that the Tab key comes to: the current folder's, until one goes to another. */
function useActiveRow(tree: RefObject<HTMLElement | null>, rows: readonly TreeRow[], current: string) {
  const [key, setKey] = useState(current);
  const last = useRef(0);
  const wanted = useRef<number | null>(null);
  const found = rows.findIndex((row) => row.key === key);
  // Where a row went, its place has what follows: the first that was loaded, instead of "Show more".
  const active = found === -1 ? Math.min(last.current, rows.length - 1) : found;
  last.current = active;
  const hadFocus = focusedRow(tree.current) !== null;

  const focus = () => {
    const element = tree.current;
    if (element === null || wanted.current === null) return;
    scrollToRow(element, wanted.current, rows.length);
    const row = element.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (row === null) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    // The row that had the focus went, or another took its place as the active one.
    if (hadFocus && focusedRow(tree.current) !== active) wanted.current ??= active;
    if (hadFocus && found === -1) setKey(rows[active]?.key ?? "");
    focus();
  });
  useLayoutEffect(() => {
    if (focusedRow(tree.current) === null) setKey(current);
  }, [current]);
  const setActive = (index: number) => {
    const row = rows[index];
    if (row === undefined) return;
    last.current = index;
    wanted.current = index;
    setKey(row.key);
    focus();
  };
  return { active, setActive };
}

/** What was typed until now, if a key is a letter. */
function useLetters(): (event: KeyboardEvent) => string | null {
  const typed = useRef({ text: "", at: 0 });
  return ({ key, timeStamp }) => {
    const isOn = timeStamp - typed.current.at < TYPING_MS && typed.current.text !== "";
    if (Array.from(key).length !== 1 || (key === " " && !isOn) || SINGLE_KEYS.includes(key)) return null;
    typed.current = { text: isOn ? typed.current.text + key : key, at: timeStamp };
    return typed.current.text;
  };
}

function focusedRow(tree: HTMLElement | null): number | null {
  const row = tree?.querySelector<HTMLElement>(":focus") ?? null;
  return row === null ? null : Number(row.dataset["row"]);
}
