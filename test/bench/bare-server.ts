/** The yardstick: a server that does nothing but answer 1 KiB. Prints its port. */
const body = new Uint8Array(1024);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: () => new Response(body),
});
await Bun.stdout.write(`${server.port}\n`);
