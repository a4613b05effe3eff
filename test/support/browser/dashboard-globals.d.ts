// What the dashboard's code uses of a page that Bun has as well, but does not describe.
declare function dispatchEvent(event: Event): boolean;
