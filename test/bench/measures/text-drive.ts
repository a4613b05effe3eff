import type { Agent } from "../../support/server/executable.ts";
import { Random } from "../../support/server/random.ts";
import { send } from "../load.ts";

/** The folder with half of the files. */
export const FOLDER = "folder/";
/** A word of every text. */
export const EVERYWHERE = "everywhere";
/** Words of every second text, each of other ones. */
export const OFTEN = ["often", "likewise"] as const;
/** A tag of every tenth file. */
export const TAG = "tenth";

const WORDS = 120;
const SYLLABLES = "ka lo mi ne pu ra so ti ve wu da fo gi he ju ba".split(" ");
/** How many words the language of the texts has. */
const VOCABULARY = SYLLABLES.length ** 3;
const CLIENTS = 16;

/** A word of only a few texts. */
export function rareWord(n: number): string {
  return `rare${n % 1000}`;
}

/** A word of only this text. */
export function ownWord(n: number): string {
  return `own${n}`;
}

/** Uploads so many files of 120 words from 16 clients. */
export async function uploadTexts(url: string, { key, drive }: Agent, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  let next = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < count) {
        const n = next;
        next += 1;
        const path = n % 2 === 0 ? `${FOLDER}${n}.txt` : `kept/${n}.txt`;
        const tags = n % 10 < 1 ? `&tags=${TAG}` : "";
        const target = `/v0/files?drive_id=${drive}&path=${path}${tags}`;
        await send(url, { method: "PUT", target, headers, body: textOf(n) });
      }
    }),
  );
}

/** The text of the n-th file. Of the words of the language, the first are the most frequent. */
function textOf(n: number): string {
  const random = new Random(n);
  const words = [EVERYWHERE, ownWord(n), ...OFTEN.filter(() => random.chance(0.5))];
  if (n % 10 === 0) words.push(rareWord(n / 10));
  while (words.length < WORDS) words.push(wordOf(Math.floor(random.share() ** 3 * VOCABULARY)));
  return words.join(" ");
}

function wordOf(n: number): string {
  const [a, b, c] = [n, n / SYLLABLES.length, n / SYLLABLES.length ** 2].map(
    (each) => SYLLABLES[Math.floor(each) % SYLLABLES.length],
  );
  return `${a}${b}${c}`;
}
