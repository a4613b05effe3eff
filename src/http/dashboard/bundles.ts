import type index from "../../../web/index.html";

/** A file of the dashboard, as the bundler has made it. */
export interface Asset {
  /** `/` for the page itself. */
  readonly path: string;
  readonly type: string;
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

const SCRIPT = "text/javascript;charset=utf-8";

/** The files of a page: those of the executable, or bundled now when run from source. */
export function assetsOf({ files, index: source }: typeof index): Promise<Asset[]> | Asset[] {
  return files === undefined ? bundled(source, RELOAD) : embedded(files);
}

/** A script that works in a worker. Its path is fixed: the page cannot know the bundler's. */
export function workerAt(path: string, page: typeof index): Asset {
  // From source it is bundled at its first use: few need one, and everybody waits for a start.
  if (page.files === undefined) {
    return { path, type: SCRIPT, read: async () => scriptOf(await bundled(page.index, ""), path).read() };
  }
  return { ...scriptOf(embedded(page.files), path), path };
}

function scriptOf(files: readonly Asset[], path: string): Asset {
  const script = files.find((file) => file.path.endsWith(".js"));
  if (script === undefined) throw new Error(`the bundle lacks ${path}`);
  return script;
}

function embedded(files: NonNullable<typeof index.files>): Asset[] {
  return files.map(({ path, loader, headers }) => ({
    path: pathOf(path, loader === "html"),
    type: headers["content-type"],
    read: () => Bun.file(path).bytes(),
  }));
}

/** By page. It does not change while a process runs, and tests open many servers in one. */
const bundles = new Map<string, Promise<Asset[]>>();

function bundled(page: string, footer: string): Promise<Asset[]> {
  const files = bundles.get(page) ?? bundle(page, footer);
  bundles.set(page, files);
  return files;
}

/** Has a page that was bundled from source load itself again once there is another one. */
const RELOAD = `{
  let known;
  setInterval(async () => {
    const answer = await fetch(location.href, { method: "HEAD", headers: { accept: "text/html" } }).catch(() => null);
    const etag = answer?.headers.get("etag") ?? known;
    if (known !== undefined && etag !== known) location.reload();
    known = etag;
  }, 500);
}`;

async function bundle(page: string, footer: string): Promise<Asset[]> {
  const options = { minify: true, splitting: true, publicPath: "/", footer };
  const { outputs } = await Bun.build({ entrypoints: [page], ...options });
  return outputs.map((output) => ({
    path: pathOf(output.path, output.path.endsWith(".html")),
    type: output.type,
    // The bundler's outputs lack a Blob's `bytes()`.
    read: async () => new Uint8Array(await output.arrayBuffer()),
  }));
}

function pathOf(file: string, isPage: boolean): string {
  return isPage ? "/" : file.slice(file.lastIndexOf("/"));
}
