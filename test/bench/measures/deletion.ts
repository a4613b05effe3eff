import { overAfter, latencies, sendForJson } from "../load.ts";
import type { Run } from "../run.ts";
import type { Sizes } from "../sizes.ts";
import { FOLDER, type TextDrive } from "./text-drive.ts";

/** The lines about the deletion of half of so many files, and about their return from the trash. */
export function deletionMeasures({ texts, seconds, aftermath }: Sizes) {
  const files = (texts / 2).toLocaleString("en-US");
  const head = "longest wait of a 1 KiB download, ms";
  return {
    idle: { name: `${head}: nothing else going on for ${seconds} s` },
    during: { name: `${head}: while a folder of ${files} files is deleted`, reach: { atMost: 20 } },
    back: { name: `${head}: while it comes back from the trash`, reach: { atMost: 20 } },
    after: { name: `${head}: in the ${aftermath} s after it`, reach: { atMost: 20 } },
  };
}

export type DeletionMeasures = ReturnType<typeof deletionMeasures>;

/** Deletes the folder, and restores it at the end, while a small file is downloaded again and again. */
export async function measureDeletion(
  { sizes, results }: Run,
  { url, drive, headers }: TextDrive,
  { idle, during, after, back }: DeletionMeasures,
): Promise<void> {
  const target = `/v0/files?drive_id=${drive}&path=1k.bin`;
  const body = crypto.getRandomValues(new Uint8Array(1024));
  const { id } = await sendForJson<{ id: string }>(url, { method: "PUT", target, headers, body });
  const download = { method: "GET", target: `/v0/files/${id}/download`, headers };
  const longest = async (isOver: () => boolean) => {
    // The garbage of this process is collected now and not while it waits.
    Bun.gc(true);
    return (await latencies(url, download, isOver)).reduce((most, ms) => Math.max(most, ms), 0);
  };
  await longest(overAfter(1));
  results.add(idle, "Coffer", await longest(overAfter(sizes.seconds)));
  const json = { ...headers, "content-type": "application/json" };
  const longestWhile = async <T>(request: Promise<T>): Promise<readonly [wait: number, answer: T]> => {
    let isOver = false;
    const answer = request.finally(() => {
      isOver = true;
    });
    return Promise.all([longest(() => isOver), answer]);
  };
  const [wait, { trash_id: entry }] = await longestWhile(
    sendForJson<{ trash_id: string }>(url, {
      method: "DELETE",
      target: "/v0/folders",
      headers: json,
      body: JSON.stringify({ drive_id: drive, path: FOLDER, confirm: true }),
    }),
  );
  results.add(during, "Coffer", wait);
  results.add(after, "Coffer", await longest(overAfter(sizes.aftermath)));
  const restore = { method: "POST", target: `/v0/trash/${entry}/restore`, headers: json, body: "{}" };
  const [waitBack] = await longestWhile(sendForJson(url, restore));
  results.add(back, "Coffer", waitBack);
}
