/** How a caller names a file by its drive (an id or slug) and its path, both as sent. */
export interface FileAtPath {
  readonly drive: string;
  readonly path: string;
}

/** How a caller names a file: by its id, as sent, or by its drive and path. */
export type FileRef = { readonly id: string } | FileAtPath;
