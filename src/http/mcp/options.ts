import type { Retention } from "../../domain/history/retention.ts";
import type { Log } from "../../process/log.ts";
import type { Services } from "../../services/services.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { ProvisionThrottle } from "../limits/provision-throttle.ts";

export interface McpOptions {
  readonly services: Services;
  readonly throttle: ProvisionThrottle;
  readonly log: Log;
  readonly version: string;
  readonly retention: Retention;
  /** Where links to files begin. */
  readonly linkBase: LinkBase;
  /** Where humans go to claim a drive. */
  readonly claimBase: LinkBase;
}
