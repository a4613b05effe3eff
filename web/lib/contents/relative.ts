/** Where a document leads to in the same drive or link. */
export interface NearPlace {
  /** Of a file or, with a slash at its end, a folder; empty for all of it. Null for the document itself. */
  readonly path: string | null;
  /** The name of a heading there; empty where none is named. */
  readonly anchor: string;
}

/** What an address in a document means, which stands at a path itself; null where it leads out of the drive. */
export function nearPlaceOf(to: string, from: string): NearPlace | null {
  const hash = to.indexOf("#");
  const [address = ""] = (hash === -1 ? to : to.slice(0, hash)).split("?");
  const path = decoded(address);
  const anchor = decoded(hash === -1 ? "" : to.slice(hash + 1));
  if (path === null || anchor === null) return null;
  if (path === "") return { path: null, anchor };
  // As everywhere on the web, a slash at the start is the top.
  const steps = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const step of path.split("/")) {
    if (step === ".." && steps.pop() === undefined) return null;
    if (step !== "" && step !== "." && step !== "..") steps.push(step);
  }
  const isFolder = /(?:^|\/)\.{0,2}$/.test(path);
  const joined = steps.join("/");
  return { path: isFolder && joined !== "" ? `${joined}/` : joined, anchor };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray `%`: nobody's address.
    return null;
  }
}
