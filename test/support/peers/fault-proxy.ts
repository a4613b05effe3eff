import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { bodyLength, bytesOfHead, firstWords, Incoming } from "./http-messages.ts";
import {
  isCut,
  isHeld,
  type ProxyFault,
  readAnswer,
  refusal,
  requestHead,
  sendAnswer,
  spoiledUpload,
} from "./proxy-faults.ts";

/** Which requests have a fault. Without `method` and `target`, all are meant. */
export interface FaultRule {
  readonly fault: ProxyFault;
  readonly method?: string;
  /** What the request's target, its path with its query, has to match. */
  readonly target?: RegExp;
  /** Which of the requests that are meant is the first with the fault, from 1 on; 1 without it. */
  readonly from?: number;
  /** How many of them have it, one after another; 1 without it. */
  readonly times?: number;
}

/** A request that came, with the fault that it had. */
export interface ProxiedRequest {
  readonly method: string;
  readonly target: string;
  readonly fault: ProxyFault | null;
}

/**
 * An HTTP proxy before one server, which a test tells what to spoil. Heads and bodies pass as they are, so signatures
 * stay valid; only each connection is for one request. Bodies stream.
 */
export class FaultProxy implements AsyncDisposable {
  /** In the order in which their heads came. */
  readonly requests: ProxiedRequest[] = [];
  readonly #engine: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #rules: { readonly rule: FaultRule; seen: number }[] = [];
  #held = Promise.withResolvers<void>();

  private constructor(engine: URL) {
    this.#engine = engine;
    this.#server = createServer((client) => void this.#serve(client));
  }

  /** Starts one on a free port. @param endpoint such as `http://127.0.0.1:9000` */
  static async before(endpoint: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(endpoint));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get endpoint(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Adds a rule. Of several whose turn it is, the first one that was added counts. */
  inject(rule: FaultRule): void {
    this.#rules.push({ rule, seen: 0 });
  }

  /** Resolves once a request is held, since the rules were cleared. */
  get held(): Promise<void> {
    return this.#held.promise;
  }

  /** Forgets all rules, and which requests came. */
  clear(): void {
    this.#rules = [];
    this.#held = Promise.withResolvers();
    this.requests.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Until its client leaves. */
  #hold(incoming: Incoming): Promise<void> {
    this.#held.resolve();
    return drain(incoming);
  }

  #faultOf(method: string, target: string): ProxyFault | null {
    let fault: ProxyFault | null = null;
    for (const one of this.#rules) {
      const { rule } = one;
      if ((rule.method ?? method) !== method || rule.target?.test(target) === false) continue;
      const nth = (one.seen += 1) - (rule.from ?? 1);
      if (nth >= 0 && nth < (rule.times ?? 1)) fault ??= rule.fault;
    }
    return fault;
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    // Whoever reads or writes is told of it.
    socket.on("error", () => {});
    return socket.on("close", () => void this.#sockets.delete(socket));
  }

  async #serve(client: Socket): Promise<void> {
    this.#track(client);
    try {
      await this.#exchange(client, new Incoming(client));
    } catch {
      // One of the two has left, so the other is left too.
    } finally {
      client.destroy();
    }
  }

  async #exchange(client: Socket, incoming: Incoming): Promise<void> {
    const head = await incoming.head();
    if (head === null) return;
    const [method, target] = firstWords(head);
    const fault = this.#faultOf(method, target);
    this.requests.push({ method, target, fault });
    if (fault?.kind === "late") await Bun.sleep(fault.ms);
    if (isCut(fault, "before")) return void client.resetAndDestroy();
    if (isHeld(fault, "before")) return this.#hold(incoming);
    if (fault?.kind === "refused") {
      client.end(refusal(fault));
      return drain(incoming);
    }
    const length = bodyLength(head, 0);
    const upstream = this.#track(connect(Number(this.#engine.port), this.#engine.hostname));
    try {
      upstream.write(bytesOfHead(requestHead(head, fault)));
      const body = spoiledUpload(incoming.body(length), length, fault);
      const uploaded = pipeline(body, upstream, { end: false }).catch(() => upstream.destroy());
      if (isCut(fault, "upload")) {
        await uploaded;
        return void client.resetAndDestroy();
      }
      if (isHeld(fault, "upload")) {
        await uploaded;
        return await this.#hold(incoming);
      }
      const answer = await readAnswer(new Incoming(upstream), method, client);
      if (isHeld(fault, "after")) return await this.#hold(incoming);
      await sendAnswer(client, answer, fault);
    } finally {
      upstream.resetAndDestroy();
    }
    // A connection that is closed before all was read would take the answer with it.
    await drain(incoming);
  }
}

/** Reads until the other side closes the connection. */
async function drain(incoming: Incoming): Promise<void> {
  const rest = incoming.body(null);
  while ((await rest.next()).done !== true);
}
