import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { rememberDrive } from "../../lib/browser/last-drive.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { DriveTabs } from "./drive-tabs.tsx";

interface DriveHeadProps {
  readonly title: string;
  /** Undefined where the page is not about one drive. */
  readonly drive: Drive | undefined;
  readonly heading?: RefObject<HTMLHeadingElement | null>;
  /** What can be done on the page. */
  readonly children?: ComponentChildren;
}

/** The head of a page about a drive, with the way to the others. */
export function DriveHead({ title, drive, heading, children }: DriveHeadProps) {
  useLayoutEffect(() => {
    if (drive !== undefined) rememberDrive(drive.id);
  }, [drive?.id]);
  const ref = heading === undefined ? {} : { ref: heading };
  if (drive === undefined) {
    return (
      <div class="page-head">
        <div>
          <h1 {...ref} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {children}
      </div>
    );
  }
  return (
    <>
      <div class="drive-head">
        <nav class="crumbs" aria-label={t("Breadcrumb")}>
          <ol>
            <li>
              <Link to="/drives">{t("Drives")}</Link>
            </li>
            <li>
              <Icon svg={chevronIcon} />
              <Link to={folderAddress(drive.slug ?? drive.id, "")} class="crumbs-drive">
                <Name text={drive.name} />
              </Link>
            </li>
          </ol>
        </nav>
        {/* To be seen, the tab says it. */}
        <h1 {...ref} class="hidden-visually" tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
      <DriveTabs drive={drive} current={title} />
    </>
  );
}
