import { fold } from "../contents/texts/fold.ts";

/** Between what is compared first and the name itself. Before all that a name can have. */
const SEPARATOR = "\u0001";
const DIGITS = /\d+/g;
const ZEROS = /^0+(?=\d)/;

/**
 * What the last name of a path is ordered by among those of its folder, as people read names: case and accents do not
 * matter, and a number counts by its value, so `file2` is before `File10`. Names that are equal so are in the order of
 * their bytes. Keys are compared by their UTF-8 bytes; no two files, or folders, of a folder have the same.
 */
export function nameKey(path: string): string {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  const name = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
  return fold(name).replaceAll(DIGITS, numberKey) + SEPARATOR + name;
}

/** A number with more digits is greater, so how many there are comes first. */
function numberKey(digits: string): string {
  const number = digits.replace(ZEROS, "");
  return `0${number.length.toString(16).padStart(2, "0")}${number}`;
}
