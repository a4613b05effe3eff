import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { folderAddress, nameOf } from "../../lib/files-place.ts";
import { Link } from "../../lib/router.tsx";

interface BreadcrumbsProps {
  /** As the address names it. */
  readonly drive: string;
  readonly driveName: string;
  readonly folder: string;
}

/** The way from all drives to the folder; the last step is where one is. */
export function Breadcrumbs({ drive, driveName, folder }: BreadcrumbsProps) {
  const ends = Array.from(folder.matchAll(/\//g), ({ index }) => index + 1);
  const steps = [
    { path: "", name: driveName },
    ...ends.map((end) => ({ path: folder.slice(0, end), name: nameOf(folder.slice(0, end)) })),
  ];
  return (
    <nav class="crumbs" aria-label="Folders above">
      <ol>
        <li>
          <Link to="/drives">Drives</Link>
        </li>
        {steps.map(({ path, name }) => (
          <li key={path}>
            <Icon svg={chevronIcon} />
            {path === folder ? (
              <h1>
                <Name text={name} />
              </h1>
            ) : (
              <Link to={folderAddress(drive, path)}>
                <Name text={name} />
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
