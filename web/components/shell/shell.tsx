import userIcon from "lucide-static/icons/user-round.svg" with { type: "text" };
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useCurrentInSight } from "../../lib/browser/current-in-sight.ts";
import { focusContent } from "../../lib/browser/focus.ts";
import { Link, usePlace } from "../../lib/browser/router.tsx";
import { useSession } from "../../lib/api/session.tsx";
import { titleOf } from "../../lib/browser/title.ts";
import { t } from "../../lib/words/text.ts";
import { ActionsContext, OfferedActions } from "../actions.ts";
import { Icon } from "../icon.tsx";
import { Brand } from "./brand.tsx";
import { Jump } from "./jump.tsx";
import { mainPlaces } from "./places.ts";

/** The pages that a place of the bar stands for as well. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  "/drives": ["/activity", "/trash", "/snapshots", "/links", "/members"],
  "/server": ["/audit"],
};

/** The frame around every page of a signed-in user. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = usePlace();
  const { account } = useSession();
  const current = (to: string) =>
    path === to || path.startsWith(`${to}/`) || BELOW[to]?.includes(path) === true ? "page" : undefined;
  const places = useCurrentInSight(path);
  const content = useRef<HTMLElement>(null);
  const arrived = useArrival(path, content);
  const [actions] = useState(() => new OfferedActions());
  return (
    <div class="shell">
      <button type="button" class="button to-content" onClick={focusContent}>
        {t("Skip to content")}
      </button>
      <header class="top">
        <Link to="/drives" class="brand">
          <Brand />
        </Link>
        <nav ref={places} class="places" aria-label={t("Main")}>
          {mainPlaces(account).map(({ to, name, icon }) => (
            <Link key={to} to={to} class="place" aria-current={current(to)}>
              <Icon svg={icon} /> {name}
            </Link>
          ))}
        </nav>
        <Jump actions={actions} />
        <Link to="/account" class="place" aria-current={current("/account")}>
          <Icon svg={userIcon} /> {account.username}
        </Link>
      </header>
      <main ref={content} class="page" tabIndex={-1}>
        <ActionsContext.Provider value={actions}>{children}</ActionsContext.Provider>
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
