import { once } from "../../../src/domain/once.ts";
import { inBrowser } from "./base-path.ts";

/** Where the server has `web/code-worker.ts`. */
export const CODE_WORKER = "/code-worker.js";
/** And `web/markdown-worker.ts`. */
export const MARKDOWN_WORKER = "/markdown-worker.js";
/** And `web/pdf-worker.ts`. */
export const PDF_WORKER = "/pdf-worker.js";
/** And `web/merge-worker.ts`. */
export const MERGE_WORKER = "/merge-worker.js";
/** And `web/offline-worker.ts`, which is a service worker. */
const OFFLINE_WORKER = "/offline-worker.js";

const WORKERS = [CODE_WORKER, MARKDOWN_WORKER, MERGE_WORKER, PDF_WORKER] as const;

/**
 * The one policy of Trusted Types that the page's Content-Security-Policy names: scripts are these, whatever text is
 * asked for. There is none for markup.
 */
const policy = once(() =>
  window.trustedTypes?.createPolicy("coffer-workers", {
    createScriptURL: (url) => {
      if (![...WORKERS, OFFLINE_WORKER].includes(url))
        throw new TypeError(`${url} is no worker of the dashboard.`);
      return inBrowser(url);
    },
  }),
);

export function startWorker(url: (typeof WORKERS)[number]): Worker {
  return new Worker(scriptOf(url), { type: "module" });
}

function scriptOf(url: string): string | URL {
  return policy()?.createScriptURL(url) ?? inBrowser(url);
}

/** Has the browser keep the offline worker for all pages of the dashboard, and look for another version of it. */
export async function keepOfflineWorker(): Promise<void> {
  await navigator.serviceWorker.register(scriptOf(OFFLINE_WORKER));
}

/** In ms, for all answers to a question: four times what ordinary texts take here, as a telephone may need that. */
const MOST_TIME = 3000;

/**
 * Asks a worker of its own. Resolves with its answers, of which so many are expected; with fewer where it fails, takes
 * too long or is given up. What is asked is hostile, and can keep a lexer busy for minutes: so the page goes on
 * meanwhile, and the worker is ended in the end.
 */
export function askWorker<Answer>(
  url: Parameters<typeof startWorker>[0],
  question: object,
  { expected, signal }: { readonly expected: number; readonly signal?: AbortSignal },
): Promise<readonly Answer[]> {
  return new Promise((resolve) => {
    const worker = startWorker(url);
    const answers: Answer[] = [];
    const end = () => {
      clearTimeout(timer);
      worker.terminate();
      resolve(answers);
    };
    const timer = setTimeout(end, MOST_TIME);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      answers.push(data);
      if (answers.length === expected) end();
    });
    // Where its stack is full, for example, or it is not to be had.
    worker.addEventListener("error", end);
    signal?.addEventListener("abort", end);
    worker.postMessage(question, []);
  });
}
