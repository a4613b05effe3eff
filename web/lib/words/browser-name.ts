import { mark, t } from "./text.ts";

/** Signs in a User-Agent. Most browsers also name others, so the more specific sign comes first. */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["SamsungBrowser", "Samsung Internet"],
  ["Firefox", "Firefox"],
  ["FxiOS", "Firefox"],
  ["CriOS", "Chrome"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;

const SYSTEMS = [
  ["iPhone", mark("an iPhone")],
  ["iPad", mark("an iPad")],
  ["Android", mark("Android")],
  ["Windows", mark("Windows")],
  ["CrOS", mark("ChromeOS")],
  ["Mac OS X", mark("macOS")],
  ["Linux", mark("Linux")],
] as const;

/** A User-Agent for people: `Firefox on Linux`, or its first characters where the browser is unknown. */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  if (browser === undefined) return userAgent === "" ? t("Unknown app") : userAgent.slice(0, 40);
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  return system === undefined ? browser : t("{browser} on {system}", { browser, system: t(system) });
}
