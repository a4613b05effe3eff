import type { ServiceDescription } from "./description.ts";

/**
 * A file for Docker Compose, with a volume and nothing to fill in. The image has its own data directory. Restarted only
 * after a failure, it would not start again with the machine, which stops it before.
 */
export function composeFile({ name, port, openFiles, stopSeconds }: ServiceDescription): string {
  return `services:
  ${name}:
    image: ${name}
    restart: unless-stopped
    ports:
      - "${port}:${port}"
    volumes:
      - ${name}:/data
    read_only: true
    tmpfs:
      - /tmp
    cap_drop:
      - ALL
    security_opt:
      - no-new-privileges:true
    ulimits:
      nofile: ${openFiles}
    stop_grace_period: ${stopSeconds}s

volumes:
  ${name}:
`;
}
