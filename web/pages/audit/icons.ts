import deletionIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import refusedIcon from "lucide-static/icons/ban.svg" with { type: "text" };
import restoreIcon from "lucide-static/icons/undo-2.svg" with { type: "text" };
import serverIcon from "lucide-static/icons/server.svg" with { type: "text" };
import sharingIcon from "lucide-static/icons/link.svg" with { type: "text" };
import signInIcon from "lucide-static/icons/log-in.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import { type AuditCategory, categoryOf } from "../../../src/domain/audit/audit-actions.ts";
import type { AuditEvent } from "../../lib/api/types.ts";

const ICONS: Readonly<Record<AuditCategory, string>> = {
  sign_in: signInIcon,
  users: usersIcon,
  keys: keyIcon,
  sharing: sharingIcon,
  server: serverIcon,
  deletions: deletionIcon,
  restores: restoreIcon,
};

/** The icon for what an event is about; one of its own where it was refused. */
export function iconOf({ action, outcome }: AuditEvent): string {
  return outcome === "refused" ? refusedIcon : ICONS[categoryOf(action)];
}
