/** Whether a host leads every machine to itself. `hostname` is one that the URL parser has normalised. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
}
