import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Users } from "../accounts/users.ts";
import type { Parts } from "../parts.ts";
import type { Indexer } from "../search/indexer.ts";
import { Service } from "../service.ts";
import type { Backups, BackupState } from "./backups.ts";
import type { ContentsSizes } from "./contents-size.ts";
import type { LiveSettings, SettingChanges, SettingView } from "./live-settings.ts";
import type { Problems } from "./problems.ts";
import type { Refusals } from "./refusals.ts";
import type { Scrub } from "./scrub.ts";

/** More than this is told as so many. */
const MOST_WAITING = 10_000;

export type ServerReport = Awaited<ReturnType<ServerCare["report"]>>;

/** What administrators see of the server, and do with it. */
export class ServerCare extends Service<
  Pick<Parts, "tables" | "blobs" | "access" | "audit" | "clock" | "log"> & {
    users: Users;
    settings: LiveSettings;
    problems: Problems;
    backups: Backups;
    scrub: Scrub;
    indexer: Indexer;
    refusals: Refusals;
    contentsSizes: ContentsSizes;
  }
> {
  /** Milliseconds since the epoch. */
  readonly #startedAt = this.parts.clock.now();

  /** Throws FORBIDDEN unless the caller is an administrator with a session. */
  async report(caller: Caller) {
    const { tables, blobs, users, settings, problems, backups, scrub, indexer, refusals, contentsSizes } =
      this.parts;
    users.requireAdmin(caller);
    return {
      startedAt: this.#startedAt,
      problems: await problems.list(),
      disk: await blobs.space.figures(),
      disks: await blobs.place.disks(),
      contents: contentsSizes.size(),
      sizes: tables.sizes(),
      index: indexer.backlog(MOST_WAITING),
      backups: backups.state(),
      scrub: scrub.isOn ? scrub.status() : null,
      refused: refusals.byDay(),
      settings: settings.views(),
    };
  }

  /** Changes settings, at once. Throws FORBIDDEN, VALIDATION_ERROR, and CONFLICT for what the start says. */
  async change(
    caller: Caller,
    changes: SettingChanges,
    within: Within<SettingView[]>,
  ): Promise<SettingView[]> {
    const { access, audit, users, settings, log } = this.parts;
    const views = await access.writeFromReserve(caller, within, () => {
      users.requireAdmin(caller);
      const before = textsOf(settings.views());
      settings.store(changes);
      const after = textsOf(settings.views());
      for (const name of changes.keys()) {
        const detail = { from: before.get(name) ?? null, to: after.get(name) ?? null };
        audit.add(caller, {
          action: "setting.changed",
          subject: { kind: "setting", id: name, name },
          detail,
        });
      }
      return settings.views();
    });
    settings.follow();
    for (const [setting, text] of changes) log.info("a setting was changed", { setting, text });
    return views;
  }

  /** Begins a backup. Throws FORBIDDEN; CONFLICT while one is made, and if the server has no place for them. */
  async startBackup(caller: Caller): Promise<BackupState> {
    const { access, audit, users, backups } = this.parts;
    users.requireAdmin(caller);
    const begun = backups.start();
    const subject = { kind: "backup", id: null, name: begun.place } as const;
    await access.writeFromReserve(caller, undefined, () =>
      audit.add(caller, { action: "backup.started", subject }),
    );
    return begun;
  }
}

/** What is in force, by the name of each setting; null for a secret. */
function textsOf(views: readonly SettingView[]): ReadonlyMap<string, string | null> {
  return new Map(
    views.map(({ name, text, fallback, isSecret }) => [name, isSecret ? null : (text ?? fallback)]),
  );
}
