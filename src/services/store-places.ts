/** Where a thread finds the store, which it reads on its own. */
export interface StorePlaces {
  /** The database's file. The search index is beside it. */
  readonly database: string;
  readonly blobsDir: string;
}
