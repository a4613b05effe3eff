import page from "../../../../web/code-worker.html";
import { workerPages as others } from "./markdown.ts";

/**
 * The pages of the workers. Each is imported by a module of its own, and each of these by the one before: the bundler
 * takes those that it finds at once in the order of a hash of their absolute paths, so that the same commit would give
 * other bytes in another directory.
 */
export const workerPages = { code: page, ...others };
