import { afterEach } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDashboard } from "./dashboard.ts";
import { type ListedFile, listFiles } from "../server/drives.ts";
import { eventually } from "../server/scenario.ts";

export const MIB = 1024 * 1024;

const UNHURRIED = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

/** How fast the browser's network is. */
const NETWORKS = {
  unhurried: UNHURRIED,
  /** A large file is still on its way when whatever is done meanwhile is done. */
  slow: { ...UNHURRIED, uploadThroughput: 24 * 1024 },
  /** However fast the machine is, it is not through with thousands of files before they are cancelled. */
  distant: { ...UNHURRIED, latency: 200 },
};

interface Sent {
  readonly name: string;
  readonly content: string | Buffer;
}

/** A dashboard with one page, on which files are uploaded. What a test leaves open is closed after it. */
export async function openUploads() {
  const dashboard = await openDashboard({ env: { COFFER_MAX_FILE_SIZE: "8MiB" } });
  const { owner, disk } = dashboard;
  const page = await dashboard.context.newPage();
  const devtools = await dashboard.context.newCDPSession(page);
  let lastChoice = 0;

  const panel = () => page.getByRole("region", { name: "Uploads" });
  const question = () => page.getByRole("dialog", { name: "already exists" });

  /** Opens a folder of the drive, with its slash. */
  const open = async (folder: string): Promise<void> => {
    await page.goto(`/drives/${owner.drive}/${folder}`);
    await page.getByRole("button", { name: "Upload files" }).waitFor();
  };

  /** Chooses files of this machine by the button, as the browser's file dialog gives them. */
  const choose = async (...files: readonly Sent[]): Promise<void> => {
    const root = join(disk, `chosen ${(lastChoice += 1)}`);
    await Promise.all(files.map(({ name, content }) => Bun.write(join(root, name), content)));
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload files" }).click();
    await (await choosing).setFiles(files.map(({ name }) => join(root, name)));
  };

  /** Tells the page that something of this machine is dragged over its middle, or dropped there. */
  const drag = (path: string, type: "dragEnter" | "dragOver" | "drop") =>
    devtools.send("Input.dispatchDragEvent", {
      type,
      x: 400,
      y: 300,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });

  /** Drags something of this machine over the page until `isTaken`. */
  const dragOver = async (
    path: string,
    isTaken = () => page.locator(".drop-hint").isVisible(),
  ): Promise<void> => {
    await drag(path, "dragEnter");
    // Over the page the pointer goes on telling where it is, until somebody listens.
    await eventually(async () => {
      await drag(path, "dragOver");
      return isTaken();
    });
  };

  const closePanel = async (): Promise<void> => {
    await panel().getByRole("button", { name: "Close uploads" }).click();
    await panel().waitFor({ state: "detached" });
  };
  afterEach(async () => {
    if ((await panel().count()) > 0) await closePanel();
  });

  const listed = (prefix: string): Promise<ListedFile[]> => listFiles(owner, owner.drive, prefix);

  return {
    dashboard,
    page,
    panel,
    /** What is asked about a place that is taken. */
    question,
    open,
    choose,
    /** A directory on this machine with these files in it. */
    folderWith: async (name: string, paths: readonly string[]): Promise<string> => {
      const root = join(disk, name);
      await mkdir(root, { recursive: true });
      await Promise.all(paths.map((path) => Bun.write(join(root, path), `this is ${path}`)));
      return root;
    },
    dragOver,
    /** Lets go of what was dragged over the page. */
    letGo: (path: string) => drag(path, "drop"),
    /** Drops something of this machine on the page, as a file manager does. */
    drop: async (path: string): Promise<void> => {
      await dragOver(path);
      await drag(path, "drop");
    },
    /** Uploads files whose places are taken, by `old`, and waits to be asked. */
    collide: async (names: readonly string[], content: string | Buffer = "new"): Promise<void> => {
      for (const name of names) await owner.client.store(owner.drive, `taken/${name}`, "old");
      await open("taken/");
      await choose(...names.map((name) => ({ name, content })));
      await question().waitFor();
    },
    /** Waits until the panel says this. */
    uploaded: (headline: string): Promise<void> =>
      panel().getByRole("heading", { name: headline, exact: true }).waitFor(),
    closePanel,
    network: (speed: keyof typeof NETWORKS) =>
      devtools.send("Network.emulateNetworkConditions", NETWORKS[speed]),
    listed,
    contentOf: async (path: string): Promise<string | undefined> => {
      const found = (await listed(path)).find((file) => file.path === path);
      if (found === undefined) return undefined;
      return (await owner.client.send("GET", `/v0/files/${found.id}/download`)).text;
    },
    /** What has the focus, by its name. */
    focused: (): Promise<string | null> => page.locator(":focus").getAttribute("aria-label"),
  };
}
