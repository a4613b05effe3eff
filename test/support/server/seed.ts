/** The seed of generated values in long tests: `SEED` of the environment, to repeat a run, or else a new one. */
export const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
