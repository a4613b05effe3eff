import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import moreIcon from "lucide-static/icons/ellipsis.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { nameOf } from "../../lib/files.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link } from "../../lib/browser/router.tsx";
import { plural, t } from "../../lib/words/text.ts";

/** More steps than this are folded, between the drive and the last few. */
const MOST = 6;
const LAST = 3;

interface BreadcrumbsProps {
  /** As the address names it. */
  readonly drive: string;
  readonly driveName: string;
  readonly folder: string;
}

interface Step {
  /** Empty for the drive itself. */
  readonly path: string;
  readonly name: string;
}

/** The way from all drives to the folder; the last step is where one is. */
export function Breadcrumbs({ drive, driveName, folder }: BreadcrumbsProps) {
  const ends = Array.from(folder.matchAll(/\//g), ({ index }) => folder.slice(0, index + 1));
  const steps = [{ path: "", name: driveName }, ...ends.map((path) => ({ path, name: nameOf(path) }))];
  const [isWhole, setWhole] = useState(steps.length <= MOST);
  const list = useRef<HTMLOListElement>(null);
  const unfolded = useRef(false);
  // In a narrow window, the end is seen first: where one is.
  useLayoutEffect(() => {
    list.current?.scrollTo({ left: list.current.scrollWidth });
  }, []);
  useLayoutEffect(() => {
    if (!isWhole || !unfolded.current) return;
    // The button that had the focus is gone; its place has the first step that it hid.
    unfolded.current = false;
    list.current?.querySelectorAll("a").item(2).focus();
  }, [isWhole]);
  const unfold = () => {
    unfolded.current = true;
    setWhole(true);
  };
  const crumb = (step: Step) => (
    <Crumb key={step.path} drive={drive} step={step} isHere={step.path === folder} />
  );
  return (
    <nav class="crumbs" aria-label={t("Breadcrumb")}>
      <ol ref={list}>
        <li>
          <Link to="/drives">{t("Drives")}</Link>
        </li>
        {steps.slice(0, isWhole ? undefined : 1).map(crumb)}
        {!isWhole && (
          <>
            <li>
              <Icon svg={chevronIcon} />
              <button type="button" class="button quiet" aria-expanded={false} onClick={unfold}>
                <Icon svg={moreIcon} />
                <span class="hidden-visually">
                  {plural(
                    steps.length - 1 - LAST,
                    "Show {count} hidden folder",
                    "Show {count} hidden folders",
                  )}
                </span>
              </button>
            </li>
            {steps.slice(-LAST).map(crumb)}
          </>
        )}
      </ol>
    </nav>
  );
}

interface CrumbProps {
  readonly drive: string;
  readonly step: Step;
  readonly isHere: boolean;
}

function Crumb({ drive, step, isHere }: CrumbProps) {
  return (
    <li data-folder={step.path}>
      <Icon svg={chevronIcon} />
      {isHere ? (
        <h1 title={plain(step.name)}>
          <Name text={step.name} />
        </h1>
      ) : (
        <Link to={folderAddress(drive, step.path)} title={plain(step.name)}>
          <Name text={step.name} />
        </Link>
      )}
    </li>
  );
}
