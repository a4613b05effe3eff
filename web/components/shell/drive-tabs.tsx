import type { ComponentChildren } from "preact";
import { useCurrentInSight } from "../../lib/browser/current-in-sight.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive } from "../../lib/api/types.ts";
import { drivePlaces } from "../../lib/drive-places.ts";
import { t } from "../../lib/words/text.ts";

interface DriveTabsProps {
  readonly drive: Drive;
  /** The name of the page that is shown: see `drivePlaces`. */
  readonly current: string;
  /** What else stands beside it. */
  readonly children?: ComponentChildren;
}

/** The way to the other pages about a drive. */
export function DriveTabs({ drive, current, children }: DriveTabsProps) {
  const row = useCurrentInSight(current);
  return (
    <nav ref={row} class="tabs" aria-label={t("This drive")}>
      {drivePlaces(drive).map(({ to, name }) => (
        <Link key={to} to={to} class="tab" aria-current={name === current ? "page" : undefined}>
          {name}
        </Link>
      ))}
      {children}
    </nav>
  );
}
