import { folderAddress } from "./files/place.ts";
import type { Drive } from "./api/types.ts";
import { t } from "./words/text.ts";

interface DrivePlace {
  readonly name: string;
  readonly to: string;
}

/** The pages about a drive that whoever is signed in may see. */
export function drivePlaces(drive: Drive): readonly DrivePlace[] {
  const isReader = drive.role === "reader";
  return [
    { name: t("Files"), to: folderAddress(drive.slug ?? drive.id, "") },
    { name: t("Activity"), to: placeOf("/activity", drive.id) },
    ...(isReader
      ? []
      : [
          { name: t("Trash"), to: placeOf("/trash", drive.id) },
          { name: t("Snapshots"), to: placeOf("/snapshots", drive.id) },
        ]),
    { name: t("Links"), to: placeOf("/links", drive.id) },
    { name: t("Members"), to: placeOf("/members", drive.id) },
    ...(isManaged(drive) ? [{ name: t("Webhooks"), to: placeOf("/webhooks", drive.id) }] : []),
  ];
}

/** The address of a page about a drive, by its id. */
export function placeOf(path: string, driveId: string): string {
  return `${path}?${new URLSearchParams({ drive: driveId })}`;
}

/** Whether whoever is signed in decides about the drive itself. */
export function isManaged(drive: Drive | undefined): boolean {
  return drive === undefined || drive.role === "owner";
}
