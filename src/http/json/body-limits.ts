/** How much a JSON body may be: what it costs is done in one turn, in which everybody else waits. */
export interface BodyLimits {
  readonly bytes: number;
  /** Values and names of fields. */
  readonly items: number;
}

const KIB = 1024;

/** From a caller without a key or session, whatever the route: anybody can send as many. */
export const ANONYMOUS_BYTES = 16 * KIB;

/** A thousand ids fit. */
const FEW_ITEMS = 2500;

/** Any metadata that is not too long fits, with all else: each item takes two bytes of it at least. */
export const METADATA_ITEMS = 10_000;

/** Of a route that says nothing else. */
export const PLAIN_BODY: BodyLimits = { bytes: 64 * KIB, items: FEW_ITEMS };
/** With the metadata of a file, which may be written with escapes and much white space. */
export const METADATA_BODY: BodyLimits = { bytes: 256 * KIB, items: METADATA_ITEMS };
/** With long texts. */
export const TEXT_BODY: BodyLimits = { bytes: 1024 * KIB, items: FEW_ITEMS };
/** With long texts and metadata. */
export const MESSAGE_BODY: BodyLimits = { bytes: 1024 * KIB, items: METADATA_ITEMS };
