import moreIcon from "lucide-static/icons/ellipsis.svg" with { type: "text" };
import activityIcon from "lucide-static/icons/activity.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import memberIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import snapshotIcon from "lucide-static/icons/camera.svg" with { type: "text" };
import trashIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import { MenuButton } from "../../components/menu-button.tsx";
import { drivePlaces } from "../../lib/drive-places.ts";
import { navigate } from "../../lib/browser/router.tsx";
import type { Drive } from "../../lib/api/types.ts";

const ICONS: Readonly<Record<string, string>> = {
  Activity: activityIcon,
  Trash: trashIcon,
  Snapshots: snapshotIcon,
  Links: linkIcon,
  Members: memberIcon,
};

/** A button that leads to the other pages about the drive. */
export function DriveMenu({ drive }: { readonly drive: Drive }) {
  const items = drivePlaces(drive)
    .slice(1)
    .map(({ name, to }) => ({ name, svg: ICONS[name] ?? moreIcon, href: to, onChoose: () => navigate(to) }));
  const title = "Activity, trash, snapshots, links, members";
  return <MenuButton label="More about this drive" title={title} items={items} />;
}
