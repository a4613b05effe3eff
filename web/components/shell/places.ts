import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import serverIcon from "lucide-static/icons/server.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import webhookIcon from "lucide-static/icons/webhook.svg" with { type: "text" };
import type { Account } from "../../lib/api/types.ts";
import { mark, t } from "../../lib/words/text.ts";

const PLACES = [
  { to: "/drives", name: mark("Drives"), icon: driveIcon },
  { to: "/search", name: mark("Search"), icon: searchIcon },
  { to: "/keys", name: mark("Keys"), icon: keyIcon },
  { to: "/webhooks", name: mark("Webhooks"), icon: webhookIcon },
] as const;
const OF_ADMINS = [
  { to: "/users", name: mark("Users"), icon: usersIcon },
  { to: "/server", name: mark("Server"), icon: serverIcon },
] as const;

/** The pages that the bar at the top leads to. */
export function mainPlaces({ admin }: Account) {
  const places = admin ? [...PLACES, ...OF_ADMINS] : PLACES;
  return places.map(({ name, ...place }) => ({ ...place, name: t(name) }));
}
