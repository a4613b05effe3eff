import type { Retention } from "../../domain/history/history.ts";
import type { SteadyClock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type { Services } from "../../services/services.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { Cookies } from "../gate/session-cookie.ts";
import type { NewKeyThrottle, ProvisionThrottle } from "../limits/creation-throttles.ts";
import type { Pace } from "../upload/upload-body.ts";

/** What the routes of `/v0` and `/mcp` are made from: each list of them takes what it needs. */
export interface Parts extends Services {
  readonly log: Log;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
  readonly clock: SteadyClock;
  readonly version: string;
  readonly retention: Retention;
  readonly cookies: Cookies;
  /** Where other machines may reach this server: see `createApp`. */
  readonly addresses: () => readonly string[];
  /** Where links to files begin. */
  readonly linkBase: LinkBase;
  /** Where humans go to claim a drive. */
  readonly claimBase: LinkBase;
  readonly throttle: ProvisionThrottle;
  readonly keyThrottle: NewKeyThrottle;
  /** Bytes. */
  readonly maxFileSize: number;
  readonly pace: Pace;
  /** How long the client of an archive may read nothing, in milliseconds; `ARCHIVE_STALL_MS` by default. */
  readonly stallMs: number | undefined;
}
