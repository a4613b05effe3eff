/** Takes the characters of a content's JSON string, as they are decoded. */
export interface ContentSink {
  /** How many bytes of the string it takes before the next `drain`. */
  readonly room: number;
  /** Takes `bytes[from, to)`, which stand for themselves. */
  append(bytes: Buffer, from: number, to: number): void;
  /** Takes a UTF-16 code unit that was escaped; -1 for an escape that JSON does not have. */
  appendEscaped(unit: number): void;
  /** Writes what it has, which makes room. */
  drain(): Promise<void>;
  /** Checks the end of the string and writes the rest. Call it once. */
  finish(): Promise<void>;
}
