/** A new key and what it reaches, for what an agent is given. */
export interface NewKey {
  readonly secret: string;
  readonly readOnly: boolean;
  /** Slug or id of the only drive it has access to; null for all drives of the account. */
  readonly drive: string | null;
  /** The only folder of the drive that it has access to, with its slash; empty for all. */
  readonly folder: string;
}

/** A text to be pasted somewhere. */
export interface Paste {
  /** Where to. */
  readonly how: string;
  /** What it is, as in "Copy the command". */
  readonly what: string;
  readonly text: string;
}
