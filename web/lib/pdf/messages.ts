/** What the page tells the worker that reads a PDF. */
export type ToPdfWorker =
  | { readonly kind: "open"; readonly data: ArrayBuffer }
  /** `page` counts from 1; `width` is in pixels of the screen. */
  | { readonly kind: "draw"; readonly page: number; readonly width: number };

/** What it answers; `ready` once, when it has been loaded. */
export type FromPdfWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "opened"; readonly pages: number; readonly ratio: number }
  | { readonly kind: "refused"; readonly why: "password" | "damaged" }
  | ({ readonly kind: "drawn" } & DrawnPage)
  | { readonly kind: "failed" };

/** A page as it is shown. All lengths but those of the bitmap are in the page's own units, from its top left. */
export interface DrawnPage {
  readonly bitmap: ImageBitmap;
  readonly width: number;
  readonly height: number;
  readonly texts: readonly PageText[];
  readonly links: readonly PageLink[];
}

/** Words at a place, to be selected. */
export interface PageText {
  readonly text: string;
  readonly x: number;
  /** Of the line that they stand on. */
  readonly y: number;
  readonly size: number;
  readonly width: number;
  /** In degrees. */
  readonly angle: number;
}

/** What leads elsewhere when it is clicked. */
export interface PageLink {
  readonly href: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
