import { options } from "preact";
import { leadAddresses } from "./element-addresses.ts";

/**
 * Has all elements that are drawn from now on lead to where the addresses of ours are in the browser. Called once, and
 * only under a base path: everywhere else an element has its address as it is written.
 */
export function leadElements(): void {
  const next = options.vnode?.bind(options);
  options.vnode = (node) => {
    // A component gives its address on to an element: there it is led, once.
    if (typeof node.type === "string") leadAddresses(node.props);
    next?.(node);
  };
}
