import { Refused } from "../domain/contents/extraction.ts";
import type { ZipArchive } from "./zip-archive.ts";
import { readXml } from "./xml.ts";

/** A part that another part refers to (ECMA-376, part 2, section 6.5). */
export interface Relationship {
  /** The last segment of its type: `slide`. */
  readonly type: string;
  /** The name of the part. */
  readonly target: string;
}

/** The relationships of a part by their ids; of the whole package for an empty name. */
export function relationshipsOf(archive: ZipArchive, part: string): Map<string, Relationship> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const found = new Map<string, Relationship>();
  const file = `${folder}_rels/${part.slice(folder.length)}.rels`;
  if (!archive.has(file)) return found;
  readXml(archive.pieces(file), {
    open: {
      Relationship: ({ Id: id, Type: type = "", Target: target, TargetMode: mode }) => {
        if (id === undefined || target === undefined || mode === "External") return;
        found.set(id, { type: type.slice(type.lastIndexOf("/") + 1), target: resolvePart(folder, target) });
      },
    },
  });
  return found;
}

/** Where all programs put the main part. */
const USUAL_MAIN_PARTS = ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"];

/** The main part of a package. Throws Refused if it has none. */
export function mainPart(archive: ZipArchive): string {
  const named = [...relationshipsOf(archive, "").values()].find(({ type }) => type === "officeDocument");
  // Documents that are made by hand lack the list of relationships: other readers do without it.
  const main = archive.has("_rels/.rels")
    ? named?.target
    : USUAL_MAIN_PARTS.find((part) => archive.has(part));
  if (main === undefined || !archive.has(main)) throw new Refused("mismatch");
  return main;
}

/** The name of the part that a reference in a folder names; both without a leading slash. */
export function resolvePart(folder: string, reference: string): string {
  const path = new URL(reference, `part:///${folder}`).pathname;
  try {
    return decodeURIComponent(path).slice(1);
  } catch {
    return path.slice(1);
  }
}
