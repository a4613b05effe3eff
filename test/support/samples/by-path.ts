/** A file, and where it is. */
export interface PlacedFile {
  readonly file: string;
  readonly drive: string;
  readonly path: string;
}

/** The address of a request about a file, with its drive and path in the place of its id. */
export function byPath(address: string, { file, drive, path }: PlacedFile): string {
  const [route = "", query] = address.replace(`/v0/files/${file}`, "/v0/files/by-path").split("?");
  const named = new URLSearchParams({ drive_id: drive, path }).toString();
  return `${route}?${query === undefined ? named : `${query}&${named}`}`;
}
