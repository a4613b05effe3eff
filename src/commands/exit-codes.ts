/*
 * Exit codes of `serve` after which whoever starts the server again should not do so by itself. Others fail with them
 * only if they have no code of their own.
 */

/** A newer version has written the store, EX_DATAERR of sysexits.h: another start finds the same. */
export const STORE_TOO_NEW = 65;

/** The data directory is gone, EX_IOERR of sysexits.h: a start would begin an empty store where a disk is to be mounted. */
export const DIRECTORY_GONE = 74;
