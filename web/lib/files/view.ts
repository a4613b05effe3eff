/** How a folder is shown: a line for each thing in it, or a tile with a picture. */
export type FolderView = "list" | "tiles";

/** A list that is narrower has no columns; in rem. styles/files.css says the same. */
export const LEAST_FOR_COLUMNS = 42;

/** The places of what is in a folder, in rem, as they grow with its text. */
export interface ViewShape {
  /** How high a line is; `--row-height` in files.css and tiles.css says the same. */
  readonly line: number;
  /** How wide each thing in a line is at least; null where it has the line for itself. */
  readonly width: number | null;
}

export const VIEW_SHAPES: Readonly<Record<FolderView, ViewShape>> = {
  list: { line: 3, width: null },
  tiles: { line: 13, width: 10 },
};

/** On phones there are so many tiles in a line, however narrow they get. */
const FEWEST_TILES = 2;

/** How many things stand side by side. @param width of what holds them, in rem */
export function columnsIn({ width: least }: ViewShape, width: number): number {
  return least === null ? 1 : Math.max(FEWEST_TILES, Math.floor(width / least));
}
