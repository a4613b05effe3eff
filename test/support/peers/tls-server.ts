/** The name of the server, which leads to this machine. */
export const TLS_NAME = "localhost";

/** A self-signed certificate for that name, until the year 2126. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlDCCATugAwIBAgIUKvNiyoKGhXKN6vwAte17wuMLXSswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE2MzAzN1oYDzIxMjYxMDI5
MTYzMDM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS8Nzpv7ckyQmvyJqPUXsguJvao8N4Dk8DkbifObVMctjEmOxBG2Ix7
KkLRL+zb5OtLdl/oZQu5P0cpyqLihPLfo2kwZzAdBgNVHQ4EFgQUQ9JUh5E3/T+A
PNMQieDVWp8CkqAwHwYDVR0jBBgwFoAUQ9JUh5E3/T+APNMQieDVWp8CkqAwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
RwAwRAIgNpZEYXcAkzVzmqVIpnM6gUS5kgprss3r5EypZ2cFeTcCIFBDHmTMOntq
Pm+5Cn0NcevetawRygmwyeUzGr/yheng
-----END CERTIFICATE-----
`;

/** Its key: for tests alone, so it is no secret. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghiub6qtIsgbEeJez
3AbTUxmRC039WHYFL/Vx5E9RWZqhRANCAAS8Nzpv7ckyQmvyJqPUXsguJvao8N4D
k8DkbifObVMctjEmOxBG2Ix7KkLRL+zb5OtLdl/oZQu5P0cpyqLihPLf
-----END PRIVATE KEY-----
`;

/** Starts a server with TLS on this machine, which keeps the paths, with their queries, that it was asked for. */
export async function startTlsServer(answer: (request: Request) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: TLS_NAME,
    tls: { key: KEY, cert: CERTIFICATE },
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      return answer(request);
    },
  });
  return {
    asked,
    ca: CERTIFICATE,
    url: (path: string) => new URL(path, `https://${TLS_NAME}:${server.port}`),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
