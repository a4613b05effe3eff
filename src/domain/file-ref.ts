/** How a caller names a file: by its id, or by its drive (an id or slug) and its path, all as sent. */
export type FileRef = { readonly id: string } | { readonly drive: string; readonly path: string };
