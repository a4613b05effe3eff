/** The bytes of a content from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
