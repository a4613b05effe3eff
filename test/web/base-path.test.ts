import { afterEach, expect, test } from "bun:test";
import { basePath, inBrowser } from "../../web/lib/browser/base-path.ts";
import { leadAddresses } from "../../web/lib/browser/element-addresses.ts";
import { sourcesIn } from "../support/sources.ts";

afterEach(() => {
  basePath.value = "";
});

/** What hands an address to the browser, and who may: they call `inBrowser`, or what they hand on is a whole address. */
const DOORS: readonly { readonly door: RegExp; readonly files: readonly string[] }[] = [
  {
    door: /(?<![.\w#]|async )fetch\(/,
    files: [
      "web/components/shell/keep-trying.ts",
      "web/components/shell/offline-page.tsx",
      "web/lib/api/api.ts",
      "web/offline-worker.ts",
    ],
  },
  { door: /new EventSource\(/, files: ["web/lib/api/feed.ts"] },
  { door: /new XMLHttpRequest\(/, files: ["web/lib/uploads/put-file.ts"] },
  { door: /new Worker\(|serviceWorker\.register\(/, files: ["web/lib/browser/own-worker.ts"] },
  {
    door: /history\.(?:push|replace)State\(/,
    files: ["web/app.tsx", "web/lib/browser/kept.ts", "web/lib/browser/router.tsx"],
  },
  {
    door: /location\.(?:assign|replace)\(|location(?:\.href)? =(?!=)/,
    files: ["web/components/palette/use-choices.ts", "web/pages/consent.tsx"],
  },
  { door: /(?<![.\w])open\(.*"_blank"/, files: ["web/components/palette/palette.tsx"] },
  { door: /caches\.open\(/, files: ["web/components/shell/offline-page.tsx"] },
  { door: /caches\.match\(/, files: ["web/offline-worker.ts"] },
  // And who asks the browser where it is.
  {
    door: /location\.(?:pathname|origin)/,
    files: ["web/lib/browser/router.tsx", "web/lib/browser/shown-address.ts", "web/offline-worker.ts"],
  },
];

const sources = await sourcesIn("web");

test.each(DOORS)("only known files do $door", ({ door, files }) => {
  const found = sources.filter(({ text }) => door.test(text)).map(({ path }) => path);
  expect(found.toSorted()).toEqual([...files].toSorted());
});

test("an address of ours begins with the base path in the browser, and no other does", () => {
  for (const address of ["/drives", "/", "//other.example", "https://other.example/", "blob:x", "#a", "?a=b"])
    expect(inBrowser(address)).toBe(address);
  basePath.value = "/coffer";
  expect(["/drives", "/", "/v0/files?path=/a"].map(inBrowser)).toEqual([
    "/coffer/drives",
    "/coffer/",
    "/coffer/v0/files?path=/a",
  ]);
  for (const address of ["//other.example", "https://other.example/", "blob:x", "#a", "?a=b", ""])
    expect(inBrowser(address)).toBe(address);
});

test("the addresses of an element lead under the base path, and nothing else of it", () => {
  basePath.value = "/coffer";
  const attributes = { href: "/drives", src: "/v0/x", title: "/drives" };
  leadAddresses(attributes);
  expect(attributes).toEqual({ href: "/coffer/drives", src: "/coffer/v0/x", title: "/drives" });
  const foreign = { href: "https://other.example/" };
  leadAddresses(foreign);
  expect(foreign).toEqual({ href: "https://other.example/" });
});
