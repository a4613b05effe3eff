/** The bytes of the content from `start` to `end`, exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
