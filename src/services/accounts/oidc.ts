import type { Configuration } from "openid-client";
import { CofferError } from "../../domain/errors.ts";
import type { Identity } from "../../domain/accounts/user.ts";
import { once } from "../../domain/once.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { type FlowSecrets, type OidcProvider, SignInEnded } from "./oidc-flow.ts";
import { Tickets } from "./tickets.ts";

/** How long a sign-in at the provider may take, in milliseconds. */
export const FLOW_LIFETIME_MS = 10 * 60 * 1000;

/** A sign-in that has begun. A ticket binds it to the browser that began it. */
interface Flow extends FlowSecrets {
  /** A path on this server. */
  readonly returnTo: string;
}

const MAX_FLOWS = 10_000;

/** Loaded by the first sign-in: a start is shorter without it. */
const load = once(() => import("./oidc-provider.ts"));

/** Sign-in through an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636). */
export class Oidc extends Service<Pick<Parts, "clock" | "log"> & { provider: OidcProvider }> {
  readonly #flows = new Tickets<Flow>({
    ...this.parts,
    capacity: MAX_FLOWS,
    lifetimeMs: FLOW_LIFETIME_MS,
  });
  #configuration: Promise<Configuration> | null = null;

  get name(): string {
    return new URL(this.parts.provider.issuer).host;
  }

  /** Begins a sign-in that returns to `returnTo`. Only the browser's cookie may hold the ticket. Throws INTERNAL. */
  async begin(returnTo: string, redirectUri: string, requestId: string) {
    const configuration = await this.#discovered(requestId);
    const { beginAt } = await load();
    const { url, ...secrets } = await beginAt(configuration, redirectUri);
    const flow = { ...secrets, returnTo };
    return { url, state: flow.state, ticket: this.#flows.put(flow) };
  }

  /** The sign-in of a ticket. A ticket is valid once. Throws SignInEnded with VALIDATION_ERROR. */
  take(ticket: string | null): Flow {
    const flow = ticket === null ? null : this.#flows.take(ticket);
    if (flow !== null) return flow;
    throw new SignInEnded(
      "expired",
      "VALIDATION_ERROR",
      "This sign-in was started in another browser, was already used, or took too long. Start again.",
    );
  }

  /**
   * The user whom the provider has signed in. Errors are logged. Throws FORBIDDEN, SignInEnded if the user cancelled,
   * UNAUTHORIZED, INTERNAL as `begin`. @param callback where the browser was redirected to, based on `redirectUri`
   */
  async finish(flow: Flow, callback: URL, requestId: string): Promise<Identity> {
    const configuration = await this.#discovered(requestId);
    const { identify, refusalOf, summary } = await load();
    try {
      return await identify(configuration, callback, flow);
    } catch (error) {
      this.parts.log.warn("sign-in refused", { request_id: requestId, reason: summary(error) });
      throw refusalOf(error);
    }
  }

  /** Fetches the provider's configuration once; again after a failure. */
  async #discovered(requestId: string): Promise<Configuration> {
    const { discover, summary } = await load();
    this.#configuration ??= discover(this.parts.provider);
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      this.parts.log.error("the sign-in provider does not answer correctly", {
        request_id: requestId,
        issuer: this.parts.provider.issuer,
        reason: summary(error),
      });
      throw new CofferError(
        "INTERNAL",
        "The sign-in provider does not answer correctly. Try again later; the server's log has details.",
      );
    }
  }
}
