import { once } from "../../../src/domain/once.ts";

/** Where the server has `web/code-worker.ts`. */
export const CODE_WORKER = "/code-worker.js";
/** And `web/markdown-worker.ts`. */
export const MARKDOWN_WORKER = "/markdown-worker.js";
/** And `web/pdf-worker.ts`. */
export const PDF_WORKER = "/pdf-worker.js";
/** And `web/merge-worker.ts`. */
export const MERGE_WORKER = "/merge-worker.js";

const WORKERS = [CODE_WORKER, MARKDOWN_WORKER, MERGE_WORKER, PDF_WORKER] as const;

/**
 * The one policy of Trusted Types that the page's Content-Security-Policy names: scripts are these, whatever text is
 * asked for. There is none for markup.
 */
const policy = once(() =>
  window.trustedTypes?.createPolicy("coffer-workers", {
    createScriptURL: (url) => {
      if (!WORKERS.some((worker) => worker === url))
        throw new TypeError(`${url} is no worker of the dashboard.`);
      return url;
    },
  }),
);

export function startWorker(url: (typeof WORKERS)[number]): Worker {
  return new Worker(policy()?.createScriptURL(url) ?? url, { type: "module" });
}
