/** How much is measured. Times in seconds. */
export interface Sizes {
  /** How often each short measurement is done. */
  readonly rounds: number;
  /** How long each measurement of a rate takes. */
  readonly seconds: number;
  /** How often eight uploads are sent at once, each time to new servers. */
  readonly peaks: number;
  /** Files of the drive that is searched. Half of them are in the folder that is deleted at the end. */
  readonly texts: number;
  /** The most searches of each kind. */
  readonly searches: number;
  /** How long eight searchers search. */
  readonly searchers: number;
  /** How long downloads are watched after a folder was deleted. */
  readonly aftermath: number;
}

export const FULL: Sizes = {
  rounds: 3,
  seconds: 3,
  peaks: 2,
  texts: 100_000,
  searches: 100,
  searchers: 10,
  aftermath: 60,
};

export const QUICK: Sizes = {
  rounds: 1,
  seconds: 1,
  peaks: 1,
  texts: 2000,
  searches: 30,
  searchers: 1,
  aftermath: 1,
};
