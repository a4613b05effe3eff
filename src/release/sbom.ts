import { join } from "node:path";

/** A package as `bun.lock` lists it: `name@version`, the registry, what it needs, its hash as npm writes it. */
type Locked = readonly [string, string, { readonly dependencies?: Record<string, string> }, string];

/** What a bill of materials is about. */
export interface SbomParts {
  /** The directory of the project, with its packages installed. */
  readonly root: string;
  readonly version: string;
  /** When the source was made, in seconds since 1970. */
  readonly seconds: number;
}

/** The bill of materials, in CycloneDX 1.6: the packages that are part of the executable, and Bun. */
export async function billOfMaterials({ root, version, seconds }: SbomParts): Promise<object> {
  const lock: unknown = Bun.JSONC.parse(await Bun.file(join(root, "bun.lock")).text());
  const names = packagesIn(lock);
  const packages = await Promise.all(names.map(([place, locked]) => component(root, place, locked)));
  const runtime = { type: "platform", name: "bun", version: Bun.version, purl: `pkg:npm/bun@${Bun.version}` };
  const components = [{ ...runtime, "bom-ref": runtime.purl }, ...packages];
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${Bun.randomUUIDv5(JSON.stringify([version, seconds, components]), "url")}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: { type: "application", "bom-ref": "coffer", name: "coffer", version },
    },
    components,
  };
}

/** The packages that the project needs to run, and those that these need, by their place in `node_modules`. */
function packagesIn(lock: unknown): [place: string, locked: Locked][] {
  if (!isLock(lock)) throw new Error("bun.lock is not as expected.");
  const { workspaces, packages } = lock;
  const found = new Map<string, Locked>();
  const names = Object.keys(workspaces[""].dependencies);
  const waiting = names.map((name): [from: string, name: string] => ["", name]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, name] = next;
    const place = placeOf(from, name, packages);
    const locked = place === null ? undefined : packages[place];
    // An optional one may be missing.
    if (place === null || locked === undefined || found.has(place)) continue;
    found.set(place, locked);
    for (const needed of Object.keys(locked[2].dependencies ?? {})) waiting.push([place, needed]);
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Which of several versions a package finds: its own, or that of the next package above it. */
function placeOf(from: string, name: string, packages: Readonly<Record<string, Locked>>): string | null {
  const above = namesOf(from);
  for (let depth = above.length; depth >= 0; depth--) {
    const place = [...above.slice(0, depth), name].join("/");
    if (packages[place] !== undefined) return place;
  }
  return null;
}

interface Lock {
  readonly workspaces: { readonly "": { readonly dependencies: Readonly<Record<string, string>> } };
  readonly packages: Readonly<Record<string, Locked>>;
}

function isLock(value: unknown): value is Lock {
  return typeof value === "object" && value !== null && "workspaces" in value && "packages" in value;
}

async function component(root: string, place: string, [id, , , integrity]: Locked): Promise<object> {
  const at = id.lastIndexOf("@");
  const [name, version] = [id.slice(0, at), id.slice(at + 1)];
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const content = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return {
    type: "library",
    // The same version may be there at two places.
    "bom-ref": `${purl}#${place}`,
    name,
    version,
    licenses: licensesOf(await manifestOf(root, place)),
    purl,
    hashes: [{ alg: "SHA-512", content }],
  };
}

/** The description that a package has of itself. Throws Error if it is not installed. */
function manifestOf(root: string, place: string): Promise<{ license?: unknown }> {
  const path = namesOf(place).join("/node_modules/");
  return Bun.file(join(root, "node_modules", path, "package.json")).json();
}

/** The packages of a place, each inside the one before. A name with a scope has a slash of its own. */
function namesOf(place: string): string[] {
  return place.match(/(?:@[^/]+\/)?[^/]+/g) ?? [];
}

function licensesOf({ license }: { license?: unknown }): object[] {
  if (typeof license !== "string") return [];
  return [{ expression: license }];
}
