import { options } from "preact";
import { inBrowser } from "./base-path.ts";

/** The attributes of elements that hold addresses. */
const ADDRESSES = ["href", "src"] as const;

/**
 * Has all elements that are drawn from now on lead to where the addresses of ours are in the browser. Called once, and
 * only under a base path: everywhere else an element has its address as it is written.
 */
export function leadElements(): void {
  const next = options.vnode?.bind(options);
  options.vnode = (node) => {
    // A component gives its address on to an element: there it is led, once.
    if (typeof node.type === "string") {
      const props: Record<string, unknown> = node.props;
      for (const name of ADDRESSES) {
        const address = props[name];
        if (typeof address === "string") props[name] = inBrowser(address);
      }
    }
    next?.(node);
  };
}
