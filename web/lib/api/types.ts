import type * as account from "../../../src/http/records/account-schemas.ts";
import type * as audit from "../../../src/http/records/audit-schemas.ts";
import type * as change from "../../../src/http/records/change-schemas.ts";
import type * as comment from "../../../src/http/records/comment-schemas.ts";
import type * as history from "../../../src/http/records/history-schemas.ts";
import type * as link from "../../../src/http/records/link-schemas.ts";
import type * as server from "../../../src/http/records/record-schemas.ts";
import type * as care from "../../../src/http/records/server-schemas.ts";
import type * as usage from "../../../src/http/records/usage-schemas.ts";

// What the API answers, under the names of the dashboard. The types are those that the server answers with.

/** The account of whoever is signed in. */
export type Account = account.AccountRecord;

/** How people get in here. */
export type SignInOptions = account.SignInOptionsRecord;

/** A browser that is signed in. */
export type SessionRecord = account.SessionRecord;

/** What the account uses: storage now, the rest in the period. */
export type Usage = usage.UsageRecord;

/** What one key of the account did on a day. */
export type UsageDay = usage.UsageDayRecord;

/** What one user of the server did on a day, or one key. */
export type ServerUsageDay = usage.ServerUsageDayRecord;

/** What the files of one kind take. */
export type UsageKind = usage.UsageKindRecord;

/** Which drives of the server take most. */
export type UsageDrives = usage.UsageDrivesRecord;
export type UsageDrive = UsageDrives["data"][number];

/** How much of something is used; `limit` is null where there is none. */
export type Figure = Usage["storage"];

/** A user as administrators see them. */
export type User = account.ManagedUserRecord;

/** The server, as its administrators see it. */
export type ServerReport = care.ServerRecord;
export type ServerProblem = ServerReport["problems"][number];
export type ServerBackups = care.BackupsRecord;
export type Setting = care.SettingRecord;

/** Something that was done to accounts, keys, shares or the server, or was refused. */
export type AuditEvent = audit.AuditEventRecord;

/** What a claim link is for. */
export type Claimable = server.ClaimableRecord;

/** A drive of the account, or one that is shared with it. */
export type Drive = server.DriveRecord;

/** A file; its size is in bytes. */
export type FileRecord = server.FileRecord;

/** A page of what a search found. */
export type SearchAnswer = server.FoundFilesPage;

export type FoundFile = SearchAnswer["data"][number];

/** A folder. Its path ends with a slash; its counts are of all that is below it, too. */
export type FolderRecord = server.FolderRecord;

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
export type AuthorizationRequest = account.AuthorizationRecord;

/** A key, without its secret. */
export type ApiKey = server.KeyRecord;
export type KeyDetail = server.KeyDetailRecord;

/** Who did something; null where the server did it by itself. */
export type By = history.ActorRecord | null;

/** Something that happened in a drive. */
export type Change = change.ChangeRecord;

/** What others did in a drive since one was there. */
export type News = change.NewsRecord;
export type Doings = News["doings"][number];

/** A large change of a folder, as the feed tells of it. */
export type Work = change.ToldWorkRecord;

/** A page of a list that goes on at a cursor. */
export interface CursorPage<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** Something that was deleted, and can be put back. */
export type TrashEntry = history.TrashRecord;

/** A content that a file had before. */
export type Version = history.VersionRecord;

/** The contents of a file before, the newest first. */
export type VersionsPage = history.VersionsPage;

/** What differs between two contents of a file, as a unified diff. */
export type TextDiff = history.VersionDiffRecord;

/** What somebody said of a file, with its place in the content that it has now. */
export type Comment = comment.PlacedCommentRecord;

export type CommentsPage = comment.CommentsPage;

/** A drive as it was at one moment. */
export type Snapshot = history.SnapshotRecord;

/** Something that is another way now than in a snapshot. */
export type Difference = history.DifferenceRecord;

/** Somebody else who may use a drive. */
export type Member = account.MemberRecord;

/** Somewhere to be told of changes, without its secret. */
export type Webhook = change.WebhookRecord;

/** A message to a webhook. */
export type Delivery = change.DeliveryRecord;

/** A link that works without signing in, of any kind. */
export type ManagedLink = link.LinkRecord;
/** What a link shows. */
export type Shared = link.SharedRecord;

/** A file that a link shows; its path is relative to what the link shows. */
export type SharedFile = link.SharedFileRecord;

/** A page of what is directly in a folder that a link shows. */
export type SharedPage = link.SharedPage;
