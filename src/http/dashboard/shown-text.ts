import type { Asset } from "./bundles.ts";

/** Where the page says what the server is called. */
const PLACE_NAMES = /(?<=<title>|<meta name="application-name" content=")Coffer/g;

/** Puts into a text what the server is called. */
export type PutName = (text: string, name: string) => string;

export const putIntoPage: PutName = (html, name) => html.replaceAll(PLACE_NAMES, () => Bun.escapeHTML(name));

/** The installed dashboard is called like the server. */
export const putIntoManifest: PutName = (json, name) => {
  const manifest: Readonly<Record<string, unknown>> = JSON.parse(json);
  return JSON.stringify({ ...manifest, name, short_name: name });
};

/** Before which characters the base path belongs: in the page and the manifest, and in a script that loads another. */
const ADDRESSES = { text: /(?<=")(?=\/)/g, script: /(?<=["'`])(?=\/chunk-[\w-]+\.js["'`])/g };

/** Where the page tells its script the base path. */
const BASE_PATH = '<meta name="base-path" content="';

/**
 * The same file, with the addresses in it that a browser follows by itself under the base path. All others are those of
 * the dashboard's script (`web/lib/browser/base-path.ts`), which the page tells the base path.
 *
 * @param basePath see `basePathOf`
 */
export function atBasePath(asset: Asset, basePath: string): Asset {
  const isScript = asset.type.startsWith("text/javascript");
  if (basePath === "" || !(isScript || /html|manifest/.test(asset.type))) return asset;
  const read = async () => {
    const text = new TextDecoder().decode(await asset.read());
    const led = text.replaceAll(isScript ? ADDRESSES.script : ADDRESSES.text, basePath);
    return new TextEncoder().encode(led.replace(BASE_PATH, BASE_PATH + basePath));
  };
  return { ...asset, read };
}
