import page from "../../../../web/offline-worker.html";
import { workerPages as others } from "./pdf.ts";

/** This page, and those after it; see `code.ts`. */
export const workerPages = { offline: page, ...others };
