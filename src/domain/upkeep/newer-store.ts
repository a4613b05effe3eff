/** A store that a newer version has written. No start by this version can change that, so none should be tried again. */
export class NewerStore extends Error {
  override readonly name = "NewerStore";
}
