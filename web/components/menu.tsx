import { useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "../lib/browser/focus.ts";
import { Icon } from "./icon.tsx";

/** An item of a menu: an action, or a link if it has an address. */
export interface MenuItem {
  readonly name: string;
  readonly svg: string;
  readonly href?: string;
  readonly download?: boolean;
  /** Whether it stands apart from the items above it, as what takes something away does. */
  readonly isApart?: boolean;
  /** Called when the item is chosen. A link without it is simply followed. */
  readonly onChoose?: () => void;
}

/** The place that a menu opens at, in pixels of the window. */
export type MenuAnchor = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

interface MenuProps {
  /** The menu's name, for screen readers. */
  readonly label: string;
  readonly anchor: MenuAnchor;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

/** The least space between a menu and the edge of the window, in pixels. */
const GAP = 8;

/**
 * A menu over the page, while it is rendered (ARIA APG, menu pattern). It asks to be closed after a choice, on
 * Escape, on Tab and on a press elsewhere. Then the focus returns to where it was, or to the page's content if that
 * element is gone.
 */
export function Menu({ label, anchor, items, onClose }: MenuProps) {
  const element = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const opener = useRef<Element | null>(null);
  const giveBack = () => {
    const { current } = opener;
    if (current instanceof HTMLElement && current.isConnected) current.focus({ preventScroll: true });
    else focusContent();
  };
  useLayoutEffect(() => {
    const menu = element.current;
    if (menu === null) return;
    opener.current = document.activeElement;
    // Not "auto": browsers close such a popover when the right mouse button that opened it is released.
    menu.showPopover();
    place(menu, anchor);
    itemsOf(menu)[0]?.focus({ preventScroll: true });
    const abort = new AbortController();
    const dismiss = (event: Event) => {
      if (!(event.target instanceof Node && menu.contains(event.target))) close.current();
    };
    addEventListener("pointerdown", dismiss, { capture: true, signal: abort.signal });
    addEventListener("resize", dismiss, { signal: abort.signal });
    return () => {
      abort.abort();
      if (menu.contains(document.activeElement)) giveBack();
    };
  }, []);
  const press = (event: KeyboardEvent) => {
    // Keys pressed here must not reach the page below.
    event.stopPropagation();
    // It would close the dialog that the menu is in as well.
    if (event.key === "Escape") event.preventDefault();
    if (event.key === "Escape" || event.key === "Tab") return onClose();
    if (element.current !== null && pressIn(itemsOf(element.current), event)) event.preventDefault();
  };
  const choose = (item: MenuItem, event: MouseEvent) => {
    const opensElsewhere = item.href !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey);
    if (item.onChoose !== undefined && !opensElsewhere) {
      event.preventDefault();
      // Before a dialog opens, which gives it back to what had it.
      giveBack();
      item.onChoose();
    }
    onClose();
  };
  return (
    <div
      ref={element}
      popover="manual"
      role="menu"
      class="menu"
      aria-label={label}
      onKeyDown={press}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map((item) => (
        <Item key={item.name} item={item} onClick={(event) => choose(item, event)} />
      ))}
    </div>
  );
}

interface ItemProps {
  readonly item: MenuItem;
  readonly onClick: (event: MouseEvent) => void;
}

function Item({ item, onClick }: ItemProps) {
  const { name, svg, href, download = false, isApart = false } = item;
  const style = isApart ? "menu-item menu-apart" : "menu-item";
  const rest = { role: "menuitem", class: style, tabIndex: -1, onClick } as const;
  return href === undefined ? (
    <button type="button" {...rest}>
      <Icon svg={svg} /> {name}
    </button>
  ) : (
    <a href={href} download={download} {...rest}>
      <Icon svg={svg} /> {name}
    </a>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
}

/** Moves the focus among the items, or chooses one, for a key; whether the key did anything. */
function pressIn(items: readonly HTMLElement[], event: KeyboardEvent): boolean {
  const at = items.findIndex((item) => item === document.activeElement);
  if (event.key === " ") {
    items[at]?.click();
    return true;
  }
  const next = nextItem(items, at, event);
  next?.focus();
  return next !== undefined;
}

function nextItem(items: readonly HTMLElement[], at: number, event: KeyboardEvent): HTMLElement | undefined {
  switch (event.key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default: {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
      const letter = event.key.toLocaleLowerCase();
      const following = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      return following.find((item) => item.textContent.trim().toLocaleLowerCase().startsWith(letter));
    }
  }
}

/** Puts a menu below its anchor, or above it if there is no room below. It scrolls with the page. */
function place(menu: HTMLElement, anchor: MenuAnchor): void {
  const { width, height } = menu.getBoundingClientRect();
  const isPoint = anchor.left === anchor.right;
  const left = isPoint ? anchor.left : anchor.right - width;
  const fitsBelow = anchor.bottom + height + GAP <= innerHeight;
  const top = fitsBelow ? anchor.bottom : anchor.top - height;
  menu.style.left = `${scrollX + within(left, innerWidth - width)}px`;
  menu.style.top = `${scrollY + within(top, innerHeight - height)}px`;
}

/** Moves a place into the window, with a gap to its start and, if there is room, to its end. */
function within(start: number, most: number): number {
  return Math.max(GAP, Math.min(start, most - GAP));
}
