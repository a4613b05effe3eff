import { type Database as Sqlite, SQLiteError } from "bun:sqlite";
import type { DrivePk, FilePk } from "../../domain/id.ts";
import { similarity, type Vector } from "../../domain/search/vectors.ts";
import { Connection } from "../engine/connection.ts";
import { lastUpdated, type Ranked, selectedBy } from "./filtered.ts";
import type { SearchRequest } from "./request.ts";
import { type Changed, type SearchStatements, selectionOf } from "./statements.ts";
import { vectorPathOf } from "./vector-file.ts";
import type { Bounds, Work } from "./work.ts";

/** How many files at most are found by their meaning alone. */
const NEAREST = 20;
/** The least similarity, as a share of that of the nearest file. */
const LEAST_SHARE = 0.8;
/** How many files are compared at once. */
const AT_ONCE = 100;

interface PassageRow {
  readonly file: FilePk;
  readonly start: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}

/** A file with its passage that is nearest. */
interface Near extends Changed {
  readonly near: number;
  readonly similarity: number;
}

/** Compares files with a vector one by one: an index of vectors is not worth it within these bounds. */
export class NearestFiles {
  readonly #passages;

  private constructor(sql: Sqlite) {
    this.#passages = new Connection(sql).all<PassageRow, [files: string]>(
      `SELECT f.pk AS file, p.start, p.vector
         FROM json_each(?) c CROSS JOIN file f ON f.pk = c.value
         CROSS JOIN blob b ON b.pk = f.blob CROSS JOIN vectors.content v ON v.digest = b.digest
         CROSS JOIN vectors.passage p ON p.content = v.pk`,
    );
  }

  /** Attaches the file of vectors of a database. Null if there is none yet, or it is of another model. */
  static async open(sql: Sqlite, model: string): Promise<NearestFiles | null> {
    const path = vectorPathOf(sql.filename);
    if (!(await Bun.file(path).exists()) || !attached(sql, path)) return null;
    try {
      using statement = sql.prepare("SELECT 1 FROM vectors.model WHERE name = ?");
      if (statement.get(model) !== null) return new NearestFiles(sql);
    } catch (error) {
      // It is being made.
      if (!(error instanceof SQLiteError)) throw error;
    }
    sql.run("DETACH vectors");
    return null;
  }

  /** The nearest files of some drives, nearest first. Their scores say nothing. Throws Overrun. */
  async find(
    statements: SearchStatements,
    request: SearchRequest,
    vector: Vector,
    { bounds, work }: { bounds: Bounds; work: Work },
  ): Promise<Ranked[]> {
    let nearest: Near[] = [];
    for (const drive of request.drives) {
      let passages = 0;
      for (const files of candidatesOf(statements, drive, request, bounds, work)) {
        const rows = this.#passages(JSON.stringify(files.map(({ pk }) => pk)));
        work.did(rows.length);
        passages += rows.length;
        nearest = best([...nearest, ...nearestOf(files, rows, vector)]);
        await work.next();
        if (passages >= bounds.comparedPassages) break;
      }
    }
    const least = (nearest[0]?.similarity ?? 0) * LEAST_SHARE;
    return nearest
      .filter((one) => one.similarity > 0 && one.similarity >= least)
      .map(({ pk, updatedAt, size, near }) => ({ file: pk, updatedAt, size, near, score: 0, slice: null }));
  }
}

/** Attaches the file of vectors. False if it is gone: it may just be removed for another model. */
function attached(sql: Sqlite, path: string): boolean {
  try {
    sql.run("ATTACH ? AS vectors", [path]);
    return true;
  } catch (error) {
    if (!(error instanceof SQLiteError) || error.code !== "SQLITE_CANTOPEN") throw error;
    return false;
  }
}

/** The files of a drive that are compared, some at a time. */
function* candidatesOf(
  statements: SearchStatements,
  drive: DrivePk,
  request: SearchRequest,
  bounds: Bounds,
  work: Work,
): Generator<readonly Changed[], void> {
  const selected = selectedBy(statements, drive, request, bounds.few, work);
  if (selected?.isAll === true) {
    yield* inParts(statements.fitting({ ...selectionOf(drive, request), files: selected.files }));
    return;
  }
  work.allow(bounds.mostRows);
  let looked = 0;
  for (const files of lastUpdated(statements, drive, request, work)) {
    yield* inParts(files.filter(({ fits }) => fits !== 0));
    looked += files.length;
    if (looked >= bounds.comparedFiles) return;
  }
}

function* inParts(files: readonly Changed[]): Generator<readonly Changed[], void> {
  for (let from = 0; from < files.length; from += AT_ONCE) yield files.slice(from, from + AT_ONCE);
}

/** Each of some files with its nearest passage. One whose vectors have another length is of another model. */
function nearestOf(files: readonly Changed[], rows: readonly PassageRow[], vector: Vector): Near[] {
  const found = new Map<FilePk, Near>();
  const byPk = new Map(files.map((file) => [file.pk, file]));
  for (const { file: pk, start, vector: bytes } of rows) {
    const file = byPk.get(pk);
    if (file === undefined || bytes.length !== vector.length) continue;
    const near = similarity(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), vector);
    if (near > (found.get(pk)?.similarity ?? -1)) found.set(pk, { ...file, near: start, similarity: near });
  }
  return [...found.values()];
}

function best(files: readonly Near[]): Near[] {
  return files.toSorted((a, b) => b.similarity - a.similarity || b.pk - a.pk).slice(0, NEAREST);
}
