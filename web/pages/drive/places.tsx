import treeIcon from "lucide-static/icons/folder-tree.svg" with { type: "text" };
import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { useFocusHandedOn } from "../../lib/browser/focus.ts";
import { useModal } from "../../lib/browser/modal.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { navigate } from "../../lib/browser/router.tsx";
import type { TreeStore } from "../../lib/tree/tree.ts";
import { TreeFailure, TreeView } from "../../components/tree/view.tsx";
import { t } from "../../lib/words/text.ts";

interface PlacesProps {
  readonly store: TreeStore;
  /** The drive as the address names it. */
  readonly drive: string;
  readonly driveName: string;
  /** The folder that one is in. */
  readonly folder: string;
}

/** The tree of a drive's folders, beside what stands in the one that is open. */
export function PlacesPanel(props: PlacesProps) {
  const panel = useRef<HTMLElement>(null);
  // Where the window gets too narrow for it.
  useFocusHandedOn(panel);
  return (
    <nav ref={panel} class="places-panel" aria-label={t("Folders")}>
      <Places {...props} onGone={() => {}} />
    </nav>
  );
}

/** A button that shows the tree over the page, where there is no room for it beside; to be keyed by the folder. */
export function PlacesButton(props: PlacesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon svg={treeIcon} /> {t("Folders")}
      </button>
      {isOpen && <PlacesDrawer {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function PlacesDrawer({ onClose, ...places }: PlacesProps & { readonly onClose: () => void }) {
  const drawer = useModal(onClose);
  useLayoutEffect(() => {
    drawer.current?.querySelector<HTMLElement>("[role=treeitem][tabindex='0']")?.focus();
  }, [drawer]);
  const closeOutside = (event: MouseEvent) => {
    // The backdrop counts as the dialog itself.
    if (event.target === drawer.current) drawer.current?.close();
  };
  return (
    <dialog ref={drawer} class="places-drawer" aria-labelledby="places-title" onClick={closeOutside}>
      <div class="places-inside">
        <header class="places-head">
          <h2 id="places-title">{t("Folders")}</h2>
          <button
            type="button"
            class="button quiet"
            aria-label={t("Close folders")}
            onClick={() => drawer.current?.close()}
          >
            <Icon svg={closeIcon} />
          </button>
        </header>
        <Places {...places} onGone={onClose} />
      </div>
    </dialog>
  );
}

function Places({ store, drive, driveName, folder, onGone }: PlacesProps & { readonly onGone: () => void }) {
  const go = (to: string) => {
    navigate(folderAddress(drive, to));
    onGone();
  };
  return (
    <>
      <TreeFailure store={store} />
      <TreeView
        store={store}
        driveName={driveName}
        label={t("Folders of {drive}", { drive: plain(driveName) })}
        current={folder}
        revealed={folder}
        choosesOnTheWay={false}
        onChoose={go}
        address={(to) => folderAddress(drive, to)}
      />
    </>
  );
}
