/**
 * A path as the API takes it: NFC, well-formed, and `_` for what it refuses in a name (backslashes and
 * control characters, which some file systems allow).
 */
export function acceptablePath(path: string): string {
  return (
    path
      .toWellFormed()
      .normalize("NFC")
      .replaceAll("\\", "_")
      // What `\p{Cc}` stands for is what the API calls control characters.
      .replaceAll(/\p{Cc}/gu, "_")
  );
}

/** Another name beside the same one: `notes/a.tar.gz` with 2 is `notes/a (2).tar.gz`. */
export function numberedPath(path: string, number: number): string {
  const nameAt = path.lastIndexOf("/") + 1;
  const name = path.slice(nameAt);
  // A leading dot begins a hidden file's name, not an ending.
  const ending = /.((?:\.tar)?\.[^.]{1,16})$/.exec(name)?.[1] ?? "";
  const stem = name.slice(0, name.length - ending.length);
  return `${path.slice(0, nameAt)}${stem} (${number})${ending}`;
}

/** The last segment of a path, with the slash that a folder's ends in. */
export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/", path.length - 2) + 1);
}
