import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import userIcon from "lucide-static/icons/user-round.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import vaultIcon from "lucide-static/icons/vault.svg" with { type: "text" };
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { focusContent } from "../../lib/browser/focus.ts";
import { Link, usePlace } from "../../lib/browser/router.tsx";
import { useSession } from "../../lib/api/session.tsx";
import { titleOf } from "../../lib/browser/title.ts";
import { Icon } from "../icon.tsx";

const PLACES = [
  { to: "/drives", name: "Drives", icon: driveIcon },
  { to: "/search", name: "Search", icon: searchIcon },
  { to: "/keys", name: "Keys", icon: keyIcon },
] as const;
/** The other pages about drives. */
const OF_DRIVES: readonly string[] = ["/activity", "/trash", "/snapshots", "/links", "/members"];
const USERS = { to: "/users", name: "Users", icon: usersIcon };

/** The frame around every page of a signed-in user. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = usePlace();
  const { account } = useSession();
  const current = (to: string) =>
    path === to || path.startsWith(`${to}/`) || (to === "/drives" && OF_DRIVES.includes(path))
      ? "page"
      : undefined;
  const content = useRef<HTMLElement>(null);
  const arrived = useArrival(path, content);
  return (
    <div class="shell">
      <button type="button" class="button to-content" onClick={focusContent}>
        Skip to content
      </button>
      <header class="top">
        <Link to="/drives" class="brand">
          <Icon svg={vaultIcon} /> Coffer
        </Link>
        <nav class="places" aria-label="Main">
          {(account.admin ? [...PLACES, USERS] : PLACES).map(({ to, name, icon }) => (
            <Link key={to} to={to} class="place" aria-current={current(to)}>
              <Icon svg={icon} /> {name}
            </Link>
          ))}
        </nav>
        <Link to="/account" class="place" aria-current={current("/account")}>
          <Icon svg={userIcon} /> {account.username}
        </Link>
      </header>
      <main ref={content} class="page" tabIndex={-1}>
        {children}
      </main>
      <p class="hidden-visually" role="status">
        {arrived}
      </p>
    </div>
  );
}

/**
 * The title of the page, for screen readers, which do not notice a change of page by themselves; empty at first. If
 * the link that led here is gone, the focus moves to the content.
 */
function useArrival(path: string, content: RefObject<HTMLElement | null>): string {
  const [said, setSaid] = useState("");
  const previous = useRef(path);
  useLayoutEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    setSaid(titleOf(path));
    // The page of a drive focuses a row itself once its rows are loaded, if nothing has the focus.
    if (path.startsWith("/drives/")) content.current?.blur();
    else if (document.activeElement === document.body) focusContent();
  }, [path]);
  return said;
}
