import page from "../../../../web/merge-worker.html";
import { workerPages as others } from "./offline.ts";

/** This page, and those after it; see `code.ts`. */
export const workerPages = { merge: page, ...others };
