/**
 * What the paths of this server begin with at the address that others use: `/coffer` for `https://home.example/coffer`.
 * `""` where the server has its host for itself.
 *
 * @param baseUrl the configured address; null if none is
 */
export function basePathOf(baseUrl: string | null): string {
  return baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
}

/** A path as the server has it. One that does not begin with the base path is left as it is: a proxy may remove that. */
export function withoutBasePath(path: string, basePath: string): string {
  if (basePath === "" || !path.startsWith(basePath)) return path;
  const rest = path.slice(basePath.length);
  if (rest === "") return "/";
  // `/coffers` is another place than `/coffer`.
  return rest.startsWith("/") ? rest : path;
}
