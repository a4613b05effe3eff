import { later } from "./later.tsx";

/** What others did since one was there last: comes only where there is something to tell. */
export const NewsPanel = later(async () => (await import("./news/panel.tsx")).NewsPanel);
