import { asFolder } from "../../lib/files/place.ts";
import { t } from "../../lib/words/text.ts";
import { Labelled } from "../forms/labelled.tsx";
import { FolderTree } from "./folder-tree.tsx";

interface FolderChoiceProps {
  readonly drive: { readonly id: string; readonly name: string };
  /** As it was typed; empty for the whole drive. */
  readonly folder: string;
  /** The name of the field, by which a refusal is shown at it. */
  readonly name: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly onChoose: (folder: string) => void;
}

/** A folder of a drive: typed, or chosen in the drive's tree. */
export function FolderChoice({ drive, folder, name, hint, placeholder, onChoose }: FolderChoiceProps) {
  return (
    <>
      <Labelled label={t("Folder")} name={name} hint={hint}>
        {(control) => (
          <input
            {...control}
            class="input"
            dir="auto"
            name={name}
            value={folder}
            placeholder={placeholder}
            autocomplete="off"
            onInput={(event) => onChoose(event.currentTarget.value)}
          />
        )}
      </Labelled>
      <FolderTree
        key={drive.id}
        drive={drive.id}
        driveName={drive.name}
        chosen={asFolder(folder)}
        onChoose={onChoose}
      />
    </>
  );
}
