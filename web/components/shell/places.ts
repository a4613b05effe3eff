import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import type { Account } from "../../lib/api/types.ts";

const PLACES = [
  { to: "/drives", name: "Drives", icon: driveIcon },
  { to: "/search", name: "Search", icon: searchIcon },
  { to: "/keys", name: "Keys", icon: keyIcon },
] as const;
const USERS = { to: "/users", name: "Users", icon: usersIcon } as const;

/** The pages that the bar at the top leads to. */
export function mainPlaces({ admin }: Account) {
  return admin ? [...PLACES, USERS] : PLACES;
}
