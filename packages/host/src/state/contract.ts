/** Where a host keeps what outlives it: small JSON values by name, such as `pending/4f2a`. */
export interface StateStore {
  /** Rejects with an `UnreadableError` if there is something that is no JSON. */
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
  /** Names below a folder, without it. What could not be a name is not among them. */
  list(folder: string): Promise<string[]>;
  /** Puts something that is of no use out of the way, where a person can still look at it. */
  quarantine(name: string): Promise<void>;
  /** Runs something while nobody else, in whichever process, runs anything under the same name. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Calls back when something below the folder may have changed, by whichever process. Returns what stops it. */
  watch(folder: string, changed: () => void): () => void;
}

/** Something is kept that nobody can read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

const PART = '[a-z0-9_-]{1,100}';
const NAME = new RegExp(`^${PART}(?:/${PART}){0,2}$`, 'i');

/** Could something be kept under this name? */
export const isName = (name: string): boolean => NAME.test(name);

export const checkedName = (name: string): string => {
  if (isName(name)) return name;
  throw new TypeError(`'${name}' is no name of something kept: letters, digits, - and _, with / between`);
};
