import moreIcon from "lucide-static/icons/ellipsis.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { Menu, type MenuAnchor, type MenuItem } from "./menu.tsx";

interface MenuButtonProps {
  /** What the button and its menu are called. */
  readonly label: string;
  /** What is told while the pointer is on the button. */
  readonly title?: string;
  readonly items: readonly MenuItem[];
}

/** A button with three dots that opens a menu. */
export function MenuButton({ label, title, items }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<MenuAnchor | null>(null);
  return (
    <>
      <button
        type="button"
        class="button"
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-label={label}
        title={title}
        onClick={(event) => setAnchor(event.currentTarget.getBoundingClientRect())}
      >
        <Icon svg={moreIcon} />
      </button>
      {anchor !== null && (
        <Menu label={label} anchor={anchor} items={items} onClose={() => setAnchor(null)} />
      )}
    </>
  );
}
