import initial from "./migrations/0001_initial.sql" with { type: "text" };
import accounts from "./migrations/0002_accounts.sql" with { type: "text" };
import search from "./migrations/0003_search.sql" with { type: "text" };
import idempotency from "./migrations/0004_idempotency.sql" with { type: "text" };
import linksUsage from "./migrations/0005_links_usage.sql" with { type: "text" };
import folderChildren from "./migrations/0006_folder_children.sql" with { type: "text" };
import fileSorts from "./migrations/0007_file_sorts.sql" with { type: "text" };
import knownClients from "./migrations/0008_known_clients.sql" with { type: "text" };
import administrators from "./migrations/0009_administrators.sql" with { type: "text" };
import releasedContents from "./migrations/0010_released_contents.sql" with { type: "text" };
import storeIdentity from "./migrations/0011_store_identity.sql" with { type: "text" };
import searchMerges from "./migrations/0012_search_merges.sql" with { type: "text" };
import linkFiles from "./migrations/0013_link_files.sql" with { type: "text" };
import folderWorks from "./migrations/0014_folder_works.sql" with { type: "text" };
import smallContents from "./migrations/0015_small_contents.sql" with { type: "text" };
import searchOrder from "./migrations/0016_search_order.sql" with { type: "text" };
import filterLists from "./migrations/0017_filter_lists.sql" with { type: "text" };
import backups from "./migrations/0018_backups.sql" with { type: "text" };
import damagedContents from "./migrations/0019_damaged_contents.sql" with { type: "text" };
import claimTokenEnd from "./migrations/0020_claim_token_end.sql" with { type: "text" };
import recordSizes from "./migrations/0021_record_sizes.sql" with { type: "text" };
import keptAnswers from "./migrations/0022_kept_answers.sql" with { type: "text" };
import searchFile from "./migrations/0023_search_file.sql" with { type: "text" };
import keyExpiry from "./migrations/0024_key_expiry.sql" with { type: "text" };
import oauth from "./migrations/0025_oauth.sql" with { type: "text" };
import uploadLinks from "./migrations/0026_upload_links.sql" with { type: "text" };
import history from "./migrations/0027_history.sql" with { type: "text" };
import changes from "./migrations/0028_changes.sql" with { type: "text" };
import links from "./migrations/0029_links.sql" with { type: "text" };
import access from "./migrations/0030_access.sql" with { type: "text" };
import webhooks from "./migrations/0031_webhooks.sql" with { type: "text" };
import setupToken from "./migrations/0032_setup_token.sql" with { type: "text" };
import makersVersionsWorks from "./migrations/0033_makers_versions_works.sql" with { type: "text" };
import raisedMembers from "./migrations/0034_raised_members.sql" with { type: "text" };

/** One step of the schema. Never edit a released one: add a new step. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "initial", sql: initial },
  { version: 2, name: "accounts", sql: accounts },
  { version: 3, name: "search", sql: search },
  { version: 4, name: "idempotency", sql: idempotency },
  { version: 5, name: "links-usage", sql: linksUsage },
  { version: 6, name: "folder-children", sql: folderChildren },
  { version: 7, name: "file-sorts", sql: fileSorts },
  { version: 8, name: "known-clients", sql: knownClients },
  { version: 9, name: "administrators", sql: administrators },
  { version: 10, name: "released-contents", sql: releasedContents },
  { version: 11, name: "store-identity", sql: storeIdentity },
  { version: 12, name: "search-merges", sql: searchMerges },
  { version: 13, name: "link-files", sql: linkFiles },
  { version: 14, name: "folder-works", sql: folderWorks },
  { version: 15, name: "small-contents", sql: smallContents },
  { version: 16, name: "search-order", sql: searchOrder },
  { version: 17, name: "filter-lists", sql: filterLists },
  { version: 18, name: "backups", sql: backups },
  { version: 19, name: "damaged-contents", sql: damagedContents },
  { version: 20, name: "claim-token-end", sql: claimTokenEnd },
  { version: 21, name: "record-sizes", sql: recordSizes },
  { version: 22, name: "kept-answers", sql: keptAnswers },
  { version: 23, name: "search-file", sql: searchFile },
  { version: 24, name: "key-expiry", sql: keyExpiry },
  { version: 25, name: "oauth", sql: oauth },
  { version: 26, name: "upload-links", sql: uploadLinks },
  { version: 27, name: "history", sql: history },
  { version: 28, name: "changes", sql: changes },
  { version: 29, name: "links", sql: links },
  { version: 30, name: "access", sql: access },
  { version: 31, name: "webhooks", sql: webhooks },
  { version: 32, name: "setup-token", sql: setupToken },
  { version: 33, name: "makers-versions-works", sql: makersVersionsWorks },
  { version: 34, name: "raised-members", sql: raisedMembers },
];
