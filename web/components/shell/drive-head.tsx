import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { rememberDrive } from "../../lib/browser/last-drive.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive } from "../../lib/api/types.ts";
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
  return (
    <>
      <div class="page-head">
        <div>
          {drive !== undefined && (
            <p class="soft">
              <Link to={folderAddress(drive.slug ?? drive.id, "")}>
                <Name text={drive.name} />
              </Link>
            </p>
          )}
          <h1 {...(heading === undefined ? {} : { ref: heading })} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {children}
      </div>
      {drive !== undefined && <DriveTabs drive={drive} current={title} />}
    </>
  );
}
