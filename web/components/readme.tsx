import { later } from "./later.tsx";

/** What the `README.md` of a folder says, for under the folder's list. It comes after the list. */
export const Readme = later(async () => (await import("./preview/readme-view.tsx")).ReadmeView, null);
