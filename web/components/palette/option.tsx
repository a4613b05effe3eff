import pageIcon from "lucide-static/icons/arrow-right.svg" with { type: "text" };
import fileIcon from "lucide-static/icons/file.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import driveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import type { Choice, LinkChoice } from "../../lib/palette/choices.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";

const ICONS: Readonly<Record<LinkChoice["kind"], string>> = {
  page: pageIcon,
  drive: driveIcon,
  folder: folderIcon,
  file: fileIcon,
};

interface OptionProps {
  readonly id: string;
  readonly choice: Choice;
  /** Whether Enter chooses it. */
  readonly isActive: boolean;
  /** The pointer moved over it. */
  readonly onPoint: () => void;
  /** It was chosen, to be opened in a new tab or here. */
  readonly onChoose: (isElsewhere: boolean) => void;
}

/** A line of the list. The focus stays in the field above it. */
export function Option({ id, choice, isActive, onPoint, onChoose }: OptionProps) {
  const rest = {
    id,
    role: "option",
    class: "palette-option",
    tabIndex: -1,
    "aria-selected": isActive,
    onMouseMove: onPoint,
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      onChoose(event.ctrlKey || event.metaKey);
    },
  } as const;
  if (choice.kind === "action") {
    return (
      <div {...rest}>
        <Icon svg={choice.svg} /> <span class="palette-name">{choice.name}</span>
      </div>
    );
  }
  return (
    <a href={choice.to} {...rest}>
      <Icon svg={ICONS[choice.kind]} />
      <span class="palette-name">
        <Name text={choice.name} />
      </span>
      {choice.where !== "" && (
        <small class="soft palette-where">
          <Name text={choice.where} />
        </small>
      )}
    </a>
  );
}
