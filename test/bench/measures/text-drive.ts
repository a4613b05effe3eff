import type { Agent, Server } from "../../support/server/executable.ts";
import { send } from "../load.ts";

/** A drive with many text files, as its owner reaches it. */
export interface TextDrive {
  readonly url: string;
  readonly drive: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The folder with half of the files. */
export const FOLDER = "folder/";
/** A word of every text. */
export const EVERYWHERE = "everywhere";
/** Words of every second text, each of other ones. */
export const OFTEN = ["often", "likewise"] as const;
/** A tag of every tenth file. */
export const TAG = "tenth";

const WORDS = 120;
const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ne",
  "pu",
  "ra",
  "so",
  "ti",
  "ve",
  "wu",
  "da",
  "fo",
  "gi",
  "he",
  "ju",
  "ba",
];
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
export async function uploadTexts({ url }: Server, { key, drive }: Agent, count: number): Promise<TextDrive> {
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
  return { url, drive, headers };
}

/** The text of the n-th file. Of the words of the language, the first are the most frequent. */
function textOf(n: number): string {
  const random = randomOf(n);
  const words = [EVERYWHERE, ownWord(n), ...OFTEN.filter(() => random() < 0.5)];
  if (n % 10 === 0) words.push(rareWord(n / 10));
  while (words.length < WORDS) words.push(wordOf(Math.floor(random() ** 3 * VOCABULARY)));
  return words.join(" ");
}

function wordOf(n: number): string {
  const [a, b, c] = [n, n / SYLLABLES.length, n / SYLLABLES.length ** 2].map(
    (each) => SYLLABLES[Math.floor(each) % SYLLABLES.length],
  );
  return `${a}${b}${c}`;
}

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
