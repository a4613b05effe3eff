/** An executable, and how it came to this machine. */
export interface Executable {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** The platform of the release that it is a part of; null if somebody has built it otherwise. */
  readonly platform: string | null;
}

/** Where packages put executables, and what upgrades those. */
const PACKAGES: readonly { readonly at: RegExp; readonly advice: string }[] = [
  { at: /[/\\]node_modules[/\\]/, advice: "npm has installed it: run npm install --global coffer@latest" },
  { at: /\/Cellar\/|\/linuxbrew\//, advice: "Homebrew has installed it: run brew upgrade coffer" },
  { at: /[/\\]scoop[/\\]apps[/\\]/i, advice: "Scoop has installed it: run scoop update coffer" },
  {
    // What is not of a package belongs under /usr/local (hier(7)).
    at: /^\/usr\/(?:s?bin|lib)\/|^\/s?bin\//,
    advice: "A package has installed it: install the .deb or .rpm of the newer release over it",
  },
  { at: /^\/(?:nix\/store|gnu\/store|snap)\//, advice: "A package has installed it: upgrade that" },
];

/** What to do instead, without the full stop, with an executable that `upgrade` must not replace; null if it may. */
export function otherWay({ path, platform }: Executable): string | null {
  const found = PACKAGES.find(({ at }) => at.test(path));
  if (found !== undefined) return found.advice;
  if (platform === null)
    return "It is no part of a release: build the newer version, or pull the newer image, as you did with this one";
  // A file that runs cannot be replaced there.
  if (platform.startsWith("windows"))
    return "On Windows, stop the server, and put coffer.exe of the newer release in its place";
  return null;
}
