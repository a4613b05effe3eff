// oxlint-disable-next-line import/no-unassigned-import -- it has every component follow the signals that it reads
import "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { chosenAppearance, showAppearance } from "./lib/browser/appearance.ts";
import { basePath } from "./lib/browser/base-path.ts";
import { leadElements } from "./lib/browser/lead-elements.ts";
import { placeName } from "./lib/browser/title.ts";
import { keptLanguage, showLanguage } from "./lib/words/language.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for the dashboard");
const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
placeName.value = said("application-name") ?? placeName.value;
basePath.value = said("base-path") ?? "";
if (basePath.value !== "") leadElements();
showAppearance(chosenAppearance());
// No `await` here: Bun bundles what a waiting module shares with others in dozens of small scripts.
void showLanguage(keptLanguage()).then(() => render(<App />, root));
