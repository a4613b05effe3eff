import openIcon from "lucide-static/icons/square-arrow-out-up-right.svg" with { type: "text" };
import { Menu, type MenuAnchor, type MenuItem } from "../../../components/menu.tsx";
import { describeEntries, type Entry } from "../../../lib/files.ts";
import { entryActions } from "./entry-actions.ts";
import type { OpenDialog } from "../dialogs/dialogs.tsx";

interface RowMenuProps {
  readonly driveId: string;
  /** What it acts on. */
  readonly entries: readonly Entry[];
  readonly anchor: MenuAnchor;
  readonly href: (entry: Entry) => string;
  readonly onOpen: (entry: Entry) => void;
  readonly onDialog: (dialog: OpenDialog) => void;
  readonly onClose: () => void;
}

/** What can be done with a row, or with all that is selected where the row is among it. */
export function RowMenu(props: RowMenuProps) {
  const { driveId, entries, href, onOpen, onDialog } = props;
  const [entry] = entries;
  const items: MenuItem[] = entryActions(driveId, entries).map(({ name, svg, leadsTo }) =>
    typeof leadsTo === "string"
      ? { name, svg, href: leadsTo, download: true }
      : { name, svg, onChoose: () => onDialog(leadsTo) },
  );
  if (entry !== undefined && entries.length === 1) {
    items.unshift({ name: "Open", svg: openIcon, href: href(entry), onChoose: () => onOpen(entry) });
  }
  const label = `Actions for ${describeEntries(entries)}`;
  return <Menu label={label} anchor={props.anchor} items={items} onClose={props.onClose} />;
}
