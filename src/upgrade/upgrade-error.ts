/** Why there is no upgrade, as one clear line for the operator. Nothing was changed. */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
}
