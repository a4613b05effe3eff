import type * as server from "../../src/http/operation/record-schemas.ts";

// What the API answers, under the names of the dashboard. The types are those that the server answers with.

/** The account of whoever is signed in. */
export type Account = server.AccountRecord;

/** How people get in here. */
export type SignInOptions = server.SignInOptionsRecord;

/** A browser that is signed in. */
export type SessionRecord = server.SessionRecord;

/** What the account uses: storage now, the rest in the period. */
export type Usage = server.UsageRecord;

/** How much of something is used; `limit` is null where there is none. */
export type Figure = Usage["storage"];

/** A user as administrators see them. */
export type User = server.ManagedUserRecord;

/** What a claim link is for. */
export type Claimable = server.ClaimableRecord;

/** A drive of the account. */
export type Drive = server.DriveRecord;

/** A file; its size is in bytes. */
export type FileRecord = server.FileRecord;

/** A page of what a search found. */
export type SearchAnswer = server.FoundFilesPage;

/** A file that a search found. */
export type FoundFile = SearchAnswer["data"][number];

/** A folder. Its path ends with a slash; its counts are of all that is below it, too. */
export type FolderRecord = server.FolderRecord;

/** The text of a document. */
export interface DocumentText {
  readonly content: string;
  /** Set if there is more. */
  readonly truncated?: true;
}

/** What is read of a page of any list. */
export interface ListPage<T> {
  readonly data: readonly T[];
  /** On all pages. */
  readonly total: number;
}

/** What is read of a page of the folders that stand in a folder, in path order. */
export type FoldersPage = Pick<server.FoldersPage, "data" | "total" | "next_cursor">;

/** What an app asks for. */
export type AuthorizationRequest = server.AuthorizationRecord;

/** A key, without its secret. */
export type ApiKey = server.KeyRecord;
