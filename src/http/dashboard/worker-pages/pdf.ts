import page from "../../../../web/pdf-worker.html";

/** This page, and those after it; see `code.ts`. */
export const workerPages = { pdf: page };
