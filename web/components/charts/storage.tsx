import type { FileKind } from "../../../src/domain/contents/kind.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { Drive, UsageDrive, UsageDrives, UsageKind } from "../../lib/api/types.ts";
import { sumOf } from "../../lib/usage.ts";
import { mark, type PlainMessage, plural, rich, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Name } from "../name.tsx";
import { type Share, Shares } from "./shares.tsx";

/** How many drives have a bar of their own. */
const NAMED = 7;
const NO_OTHERS = { drives: 0, bytes: 0 };

const KINDS: Readonly<Record<FileKind, PlainMessage>> = {
  image: mark("Pictures"),
  video: mark("Videos"),
  audio: mark("Music and sound"),
  table: mark("Tables"),
  archive: mark("Archives"),
  code: mark("Code and data"),
  pdf: mark("PDFs"),
  text: mark("Texts and documents"),
  other: mark("Other files"),
};

/** The drives of a user, largest first. */
export function StorageByDrive({ user }: { readonly user: string }) {
  return (
    <Storage
      title={t("By drive")}
      load={(signal) => call<{ data: Drive[] }>("GET", "/v0/drives", { signal })}
      shares={({ data }) => {
        const own = data
          .filter(({ user_id: owner }) => owner === user)
          .toSorted((a, b) => b.total_size - a.total_size)
          .map(({ id, name, total_size }) => ({ key: id, name: <Name text={name} />, bytes: total_size }));
        return sharesOf(own, NO_OTHERS);
      }}
    />
  );
}

/** The drives of the server, largest first. */
export function StorageByDriveOfServer() {
  return (
    <Storage
      title={t("By drive")}
      load={(signal) => call<UsageDrives>("GET", "/v0/usage/drives", { signal })}
      shares={({ data, others }) => {
        const largest = data.map((drive) => ({
          key: drive.drive_id,
          name: <NameOfAny drive={drive} />,
          bytes: drive.bytes,
        }));
        return sharesOf(largest, others);
      }}
    />
  );
}

/** Who owns a drive, and what it is called, or else its identifier. */
function NameOfAny({ drive: { drive_id: id, drive_name: name, username } }: { readonly drive: UsageDrive }) {
  const called = name === null ? <code>{id}</code> : <Name text={name} />;
  return (
    <>
      {username === null
        ? rich("Unclaimed: {name}", { name: called })
        : rich("{owner}: {name}", { owner: <Name text={username} />, name: called })}
    </>
  );
}

/** What files are, largest kind first. @param path where that is asked: of the account, or of the server */
export function StorageByKind({ path }: { readonly path: string }) {
  return (
    <Storage
      title={t("By kind of file")}
      load={(signal) => call<{ data: UsageKind[] }>("GET", path, { signal })}
      shares={({ data }) =>
        data
          .filter(({ bytes }) => bytes > 0)
          .map(({ kind, bytes }) => ({ key: kind, name: t(KINDS[kind]), bytes, kind: `kind-${kind}` }))
      }
    />
  );
}

interface StorageProps<T> {
  readonly title: string;
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Called whenever it is drawn, as the language may come after what is loaded. */
  readonly shares: (loaded: T) => readonly Share[];
}

function Storage<T>({ title, load, shares }: StorageProps<T>) {
  const { loaded, reload } = useLoad("storage", load);
  return (
    <div class="chart-part">
      <h3>{title}</h3>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <SharesOrNone shares={shares(loaded.value)} />}
    </div>
  );
}

function SharesOrNone({ shares }: { readonly shares: readonly Share[] }) {
  return shares.length === 0 ? <p class="soft">{t("No files yet.")}</p> : <Shares shares={shares} />;
}

/** @param drives largest first */
function sharesOf(
  drives: readonly Omit<Share, "kind">[],
  others: Pick<UsageDrives["others"], "drives" | "bytes">,
): readonly Share[] {
  const used = drives.filter(({ bytes }) => bytes > 0);
  const named = used.slice(0, NAMED).map((drive) => ({ ...drive, kind: "kind-folder" }));
  const rest = used.slice(NAMED);
  const count = rest.length + others.drives;
  if (count === 0) return named;
  const name = plural(count, "{count} more drive", "{count} more drives");
  const bytes = sumOf(rest.map((drive) => drive.bytes)) + others.bytes;
  return [...named, { key: "rest", name, bytes, kind: "kind-other" }];
}
