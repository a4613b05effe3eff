import { version } from "../../package.json";

/** The version of this executable. */
export const VERSION: string = version;
