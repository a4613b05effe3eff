import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import userIcon from "lucide-static/icons/user-round.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import vaultIcon from "lucide-static/icons/vault.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { Link, usePlace } from "../lib/router.tsx";
import { useSession } from "../lib/session.tsx";
import { Icon } from "./icon.tsx";

const PLACES = [
  { to: "/drives", name: "Drives", icon: driveIcon },
  { to: "/search", name: "Search", icon: searchIcon },
  { to: "/keys", name: "Keys", icon: keyIcon },
] as const;
const PEOPLE = { to: "/people", name: "People", icon: usersIcon };

/** What surrounds every page of somebody signed in. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = usePlace();
  const { account } = useSession();
  const current = (to: string) => (path === to || path.startsWith(`${to}/`) ? "page" : undefined);
  return (
    <div class="shell">
      <header class="top">
        <Link to="/drives" class="brand">
          <Icon svg={vaultIcon} /> Coffer
        </Link>
        <nav class="places" aria-label="Main">
          {(account.admin ? [...PLACES, PEOPLE] : PLACES).map(({ to, name, icon }) => (
            <Link key={to} to={to} class="place" aria-current={current(to)}>
              <Icon svg={icon} /> {name}
            </Link>
          ))}
        </nav>
        <Link to="/account" class="place" aria-current={current("/account")}>
          <Icon svg={userIcon} /> {account.username}
        </Link>
      </header>
      <main class="page">{children}</main>
    </div>
  );
}
