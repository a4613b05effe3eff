/** Fixed limits of the service, in bytes, characters, items or milliseconds as each name says. */

/** Bytes. */
export const MIB = 1024 * 1024;

/** Contents up to this size are kept in the database, larger ones are files. */
export const SMALL_CONTENT_BYTES = 16 * 1024;

/** Storage of an unclaimed drive: the "100 MB" that the API promises. */
export const UNCLAIMED_STORAGE_BYTES = 100 * MIB;
/** How many times its storage limit an owner may use on the disk, with contents that are still to be removed. */
export const DISK_PER_STORAGE = 3;
/** Of a file (beside its metadata), folder, link that takes or shows; of a tag or presigned URL. As in the schema. */
export const RECORD_BYTES = { entry: 1024, part: 512 };
/** The room for records, or the storage limit if that is more; again for kept responses. Empty files fill disks too. */
export const RECORD_ROOM_BYTES = 100 * MIB;
export const UNCLAIMED_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a claim token is known after its use or expiry. Until then a late claim gets 409 or 410, then 404. */
export const CLAIM_TOKEN_MEMORY_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * How many days of use are kept, and how many keys of an account, or users of the server, have rows of their own on each.
 * Of all keys of a server those have that did most, so many for each count.
 */
export const USAGE_DAYS = { kept: 90, rows: 20, most: 5 };

/** How many drives of a server are named by what they take. */
export const USAGE_DRIVES = 20;

/** Of a password, in UTF-16 code units. */
export const PASSWORD_CHARACTERS = { least: 8, most: 1024 } as const;

export const NAME_CHARACTERS = 64;
/** Of the reason that a change can have. */
export const MESSAGE_CHARACTERS = 500;
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
/** How many files and folders one request may copy or move by their names; and files it may delete by a pattern. */
export const MANY_PATHS = { named: 1000, deleted: 10_000 };
/** The longest pattern of paths: the time that a match takes grows with it. */
export const GLOB_BYTES = 256;
/** When one request ends that looks at the paths of a drive one by one. */
export const WALK = {
  paths: 50_000,
  /** Milliseconds. */
  time: 1000,
  depth: 100,
};
/** How many files one request may delete or write that names them one by one. */
export const BULK_FILES = 1000;
/** How many changes one request may undo that names them one by one. */
export const UNDONE_CHANGES = 500;
/** What one request may write as a batch, in bytes but for `files`: beyond `unpacked` an archive is not read. */
export const BATCH = { files: BULK_FILES, fileBytes: MIB, bodyBytes: 64 * MIB, unpackedBytes: 256 * MIB };
/** How many batches may be written at once; see `ARCHIVE_LIMITS`. Each may hold its small contents in memory. */
export const BATCH_LIMITS = { each: 4, client: 8, all: 16, unclaimed: { client: 2, all: 8 } };
/** The most files and folders that one request may move with a folder. */
export const FOLDER_MOVE_ENTRIES = 50_000;
/** The same for a copy. Fewer, because every copy is a new row. */
export const FOLDER_COPY_ENTRIES = 10_000;
/** How many files one drive may have that is forked. */
export const FORK_FILES = 1_000_000;
/** Comments of one file, replies among them: all go along at once into another drive. How long one is, in characters, how many it names, and how many one page has. */
export const COMMENTS = { file: 200, characters: 4000, mentions: 10, page: 100 };
/** How many versions one list of comments compares with the present text; those compared before do not count. */
export const COMPARED_VERSIONS = 16;
/** How many snapshots a drive may have, and how many of those that the server takes are kept. */
export const SNAPSHOTS = { taken: 100, automatic: 20 };
/** How many paths one archive request may name: they are in the URL, which cannot hold many more. */
export const ARCHIVE_PATHS = 200;
/** How many archives may be sent at once, as each holds open files. Unclaimed drives get at most half. */
export const ARCHIVE_LIMITS = {
  /** Of one owner (see `ownerOf`). */
  each: 4,
  /** Of one client address, which all clients behind one untrusted proxy share. */
  client: 16,
  all: 32,
  unclaimed: { client: 8, all: 16 },
};
/** What a search of lines takes and gives: a pattern may come from anybody. */
export const GREP = {
  patternCharacters: 1000,
  /** The most lines before and after a match. */
  context: 10,
  fileMatches: 100,
  /** A longer line is cut, in UTF-16 code units. */
  lineCharacters: 500,
};
/** When one request that searches lines stops: after so much of anything. */
export const GREP_BOUNDS = {
  /** Milliseconds. */
  time: 5000,
  /** How much longer it may take, in milliseconds, before it is ended: it looks at the time after each line. */
  grace: 10_000,
  /** How many bytes of contents are read. */
  bytes: 512 * MIB,
  matches: 1000,
  /** How many characters of lines are given, in UTF-16 code units of their JSON; up to twice with those around them. */
  characters: MIB,
  /** How many bytes are read at once: a longer line is searched in pieces. */
  blockBytes: MIB / 4,
};
/** How many searches of lines may wait or run at once; see `ARCHIVE_LIMITS`. */
export const GREP_LIMITS = { each: 4, client: 16, all: 32, unclaimed: { client: 8, all: 16 } };
/** How many uploads may arrive at once, beside short ones. `each` is of one key, session or link. */
export const UPLOAD_LIMITS = { each: 64, client: 256, all: 1000, unclaimed: { client: 64, all: 500 } };
/** How long the client of an archive may read nothing, in milliseconds. */
export const ARCHIVE_STALL_MS = 60_000;
/**
 * When a bucket sends contents itself: more than so many bytes at once, as less is fetched and checked whole by the server
 * at little cost; and for how many seconds its addresses work: the clocks of both may differ by that.
 */
export const REDIRECT = { bytes: 8 * MIB, seconds: 300 };
/** The limit of one owner's callers together, as a multiple of the plan's: a hundred keys get no hundred times it. */
export const SHARED_FACTOR = 4;
/**
 * Requests a minute of all sessions of an account, or its plan's if that is more. They count apart from keys: no person
 * clicks so much, and neither an agent nor a plan locks its human out, but a loop is stopped.
 */
export const SESSION_REQUESTS = 3000;
/** How many keys one drive may have, and one account in addition to those of its drives. */
export const KEYS = { drive: 100, account: 1000 };
/** Up to how many of each kind are counted that a key made. */
export const MADE_COUNTED = 1000;
/** How many users a drive can be shared with, and how many drives with one user. */
export const MEMBERS = { drive: 100, user: 1000 };
/** An owner may make one new key a minute per this many requests a minute of its plan; at least one. */
export const REQUESTS_PER_NEW_KEY = 6;
export const CONTENT_TYPE_CHARACTERS = 255;
/** The longest text that can be extracted: the client must hold it as one JSON string. */
export const EXTRACT_TEXT_BYTES = 64 * MIB;
/** The longest JSON that can be extracted. It is parsed whole, which takes up to forty times its size in memory. */
export const EXTRACT_JSON_BYTES = 2 * MIB;
export const LINK_SECONDS = { least: 1, most: 86_400, default: 3600 };
/** How long a link that shows a file or folder works. */
export const SHARE_LINK_DAYS = { most: 366, default: 7 };
/** Of a link's password, in UTF-16 code units. Guessing is throttled, so a short one will do. */
export const LINK_PASSWORD_CHARACTERS = { least: 4, most: PASSWORD_CHARACTERS.most } as const;
/** How long a link stays unlocked in a browser, in milliseconds. */
export const UNLOCKED_MS = 12 * 60 * 60 * 1000;
/** How many bytes of text, as UTF-8, one request may read. The default is what a model reads at once. */
export const READ_TEXT_BYTES = { most: MIB, default: 64 * 1024 };
/** How many files one request may read, of how many bytes; and how many bytes of one that is no text. */
export const READ_MANY = { files: 100, fileBytes: 4 * MIB, otherBytes: 16 * 1024 };
/** How many lines one request may read: each, even an empty one, takes more than its text in the response. */
export const READ_TEXT_LINES = 10_000;
/** The longest text that can be edited other than by appending, as UTF-8: it is edited in memory. */
export const EDIT_BYTES = 16 * MIB;
export const EDITS = 100;
export const REPLACED_PLACES = 100_000;
/** The longest text of which versions are compared, in bytes. */
export const DIFF_TEXT_BYTES = 2 * MIB;
/** How many comparisons may wait or run at once; see `ARCHIVE_LIMITS`. */
export const DIFF_LIMITS = { each: 4, client: 16, all: 32, unclaimed: { client: 8, all: 16 } };
/** The longest diff that is shown, as UTF-8; what comes after is left out. */
export const DIFF_BYTES = 64 * 1024;
/** How many streams of changes may be open at once; see `ARCHIVE_LIMITS`. */
export const STREAM_LIMITS = { each: 1000, client: 1000, all: 10_000, unclaimed: { client: 50, all: 500 } };
/** How often an idle stream of changes sends a comment, in milliseconds, so that nothing between cuts it. */
export const STREAM_COMMENT_MS = 20_000;
/** How often it is asked whether a stream's caller may still read, in milliseconds: within a second of its end. */
export const STREAM_WATCH_MS = 800;
/** How many changes of one drive are kept, if they are not too old. */
export const CHANGES = { claimed: 1_000_000, unclaimed: 100_000 };
/** How many changes of a drive, and of all drives, are looked at for what is new to somebody. */
export const NEWS = { each: 1000, all: 3000 };
/** Webhooks of one owner (see `ownerOf`), and what they may take. */
export const WEBHOOKS = {
  each: { claimed: 20, unclaimed: 5 },
  urlCharacters: 2048,
  /** How many deliveries of one webhook wait at most: what comes later waits in the feed. */
  pending: { claimed: 1000, unclaimed: 100 },
  /** How many of those that have ended are kept of one webhook. */
  kept: 100,
  /** How many are sent at once: of one webhook, of one owner, of all unclaimed drives, and in all. */
  atOnce: { webhook: 4, owner: 8, unclaimed: 4, all: 16 },
  /** How long an answer may take, in milliseconds. */
  answerMs: 15_000,
  /** How much of an answer is read, in bytes. */
  answerBytes: 4096,
};
