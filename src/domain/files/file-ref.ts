/** How a caller names a file by its drive (an id or slug) and its path, both as sent. */
export interface FileAtPath {
  readonly drive: string;
  readonly path: string;
}

/** How a caller names a file: by its id, as sent, or by its drive and path. */
export type FileRef = { readonly id: string } | FileAtPath;

/** A file that is only read: as it is, or as it was in a snapshot with this id. */
export type FileView = FileRef & { readonly snapshot?: string };
