/** Fixed limits of the service, in bytes, characters, items or milliseconds as each name says. */

/** Bytes. */
export const MIB = 1024 * 1024;

/** Storage of a drive that nobody has claimed: the contract's "100 MB". */
export const UNCLAIMED_STORAGE_BYTES = 100 * MIB;
/**
 * How many times its storage limit a drive or account may take on the disk, with what was replaced and deleted in
 * it and is not removed yet.
 */
export const DISK_PER_STORAGE = 3;
/** How long an unclaimed drive lives. */
export const UNCLAIMED_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Of a password, in UTF-16 code units. */
export const PASSWORD_CHARACTERS = { least: 8, most: 1024 } as const;

export const NAME_CHARACTERS = 64;
export const DESCRIPTION_CHARACTERS = 1024;
export const FILENAME_BYTES = 255;
export const PATH_BYTES = 1024;
export const SEGMENT_BYTES = 255;
export const METADATA_BYTES = 16 * 1024;
export const TAGS = 64;
export const TAG_CHARACTERS = 64;
export const PREVIEW_CHARACTERS = 500;
export const PAGE_LIMIT = 1000;
export const PAGE_LIMIT_DEFAULT = 50;
export const BULK_DELETE_IDS = 1000;
/** The most files and folders that one request moves along with a folder. */
export const FOLDER_MOVE_ENTRIES = 50_000;
/** The same for a copy. Fewer than are moved: every copy is a row of its own. */
export const FOLDER_COPY_ENTRIES = 10_000;
/**
 * The files up to which folders are copied in an unclaimed drive. Files without content cost no quota, and one
 * request after the other copies thousands: without an end, anybody could fill the disk with them.
 */
export const UNCLAIMED_COPIED_FILES = 50_000;
/** How many paths one archive may be asked for by name: they stand in the request's head, which takes few more. */
export const ARCHIVE_PATHS = 200;
/**
 * How many archives may be under way at once: each holds several open files and the list of what it packs, for
 * as long as its reader goes on. No owner and no client address can take all of them from the others. Unclaimed
 * drives, which anybody can make, get half of what there is, so that the rest is left to accounts.
 */
export const ARCHIVES_UNDER_WAY = {
  /** Of one owner (see `ownerOf`). */
  each: 4,
  /** To one client address: as many as all behind one proxy that is not trusted may have. */
  client: 16,
  all: 32,
  unclaimed: { client: 8, all: 16 },
};
/** How long the reader of an archive may take nothing of it, in milliseconds. */
export const ARCHIVE_STALL_MS = 60_000;
/**
 * How many times a plan's requests a minute all callers of one owner may make together (see `ownerOf`): several
 * agents of an account may each use their limit, but a hundred keys are not a hundred times the limit.
 */
export const SHARED_FACTOR = 4;
/** How many keys there may be for one drive, and how many for one account beside those for its drives. */
export const KEYS = { drive: 100, account: 1000 };
/** An owner may make one key a minute for so many requests a minute of its plan, and one at least. */
export const REQUESTS_PER_NEW_KEY = 6;
export const CONTENT_TYPE_CHARACTERS = 255;
/** The longest text that can be extracted: its reader has to hold it as one JSON string. */
export const EXTRACT_TEXT_BYTES = 64 * MIB;
/** The longest JSON that can be extracted. It is parsed whole, which takes up to forty times its size. */
export const EXTRACT_JSON_BYTES = 2 * MIB;
export const LINK_SECONDS = { least: 1, most: 86_400, default: 3600 };
