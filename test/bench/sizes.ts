/** How much is measured. Times in seconds. */
export const FULL = {
  /** How often each short measurement is done. */
  rounds: 3,
  /** How long each measurement of a rate takes. */
  seconds: 3,
  /** How often eight uploads are sent at once, each time to new servers. */
  peaks: 2,
  /** Files of the drive that is searched. Half of them are in the folder that is deleted at the end. */
  texts: 100_000,
  /** The most searches of each kind. */
  searches: 100,
  /** How long eight searchers search. */
  searchers: 10,
  /** How long downloads are watched after a folder was deleted. */
  aftermath: 60,
};

export type Sizes = Readonly<typeof FULL>;

export const QUICK: Sizes = {
  rounds: 1,
  seconds: 1,
  peaks: 1,
  texts: 2000,
  searches: 30,
  searchers: 1,
  aftermath: 1,
};
