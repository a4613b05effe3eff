import index from "../../../web/index.html";

/** A file of the dashboard, ready to send. */
export interface Asset {
  /** `/` for the page itself. */
  readonly path: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

type EmbeddedFiles = NonNullable<(typeof index)["files"]>;

/** The dashboard's files: embedded in the executable, or bundled now when run from source. */
export async function dashboardAssets(): Promise<Asset[]> {
  return index.files === undefined ? bundle(index.index) : embedded(index.files);
}

function embedded(files: EmbeddedFiles): Promise<Asset[]> {
  return Promise.all(
    files.map(async ({ path, loader, headers }) => ({
      path: pathOf(path, loader === "html"),
      type: headers["content-type"],
      content: await Bun.file(path).bytes(),
    })),
  );
}

async function bundle(page: string): Promise<Asset[]> {
  const { outputs } = await Bun.build({ entrypoints: [page], minify: true, publicPath: "/" });
  return Promise.all(
    outputs.map(async (output) => ({
      path: pathOf(output.path, output.path.endsWith(".html")),
      type: output.type,
      // The bundler's outputs lack a Blob's `bytes()`.
      content: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}

function pathOf(file: string, isPage: boolean): string {
  return isPage ? "/" : file.slice(file.lastIndexOf("/"));
}
