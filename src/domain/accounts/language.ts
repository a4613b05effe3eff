/** The languages that the dashboard speaks, as BCP 47 tags. */
export const LANGUAGES = ["en", "de", "es", "fr", "ja", "zh-Hans"] as const;
export type Language = (typeof LANGUAGES)[number];
