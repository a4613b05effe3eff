/** A JSON-RPC message: a request or a notification. */
export interface Message {
  readonly jsonrpc: "2.0";
  /** Absent in a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    /** What a tool is given, unchecked. */
    readonly arguments?: Readonly<Record<string, unknown>>;
    /** What a client that listens wants to be told, unchecked. */
    readonly notifications?: {
      readonly resourcesListChanged?: unknown;
      readonly resourceSubscriptions?: unknown;
    };
  };
}
