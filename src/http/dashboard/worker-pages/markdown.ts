import page from "../../../../web/markdown-worker.html";
import { workerPages as others } from "./merge.ts";

/** This page, and those after it; see `code.ts`. */
export const workerPages = { markdown: page, ...others };
