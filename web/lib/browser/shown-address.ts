import { withoutBasePath } from "../../../src/domain/network/base-path.ts";
import { basePath } from "./base-path.ts";

/** The path that is shown, as the dashboard has it: percent-encoded, without the base path. */
export function shownPath(): string {
  return withoutBasePath(location.pathname, basePath.value);
}

/** The address of this server, as people and agents are told it: without a slash at its end. */
export function serverAddress(): string {
  return location.origin + basePath.value;
}
