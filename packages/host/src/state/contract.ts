/** A store for small JSON values that outlive the host, by name, such as `pending/4f2a`. */
export interface StateStore {
  /** Undefined if there is no value. Rejects with an `UnreadableError` if the value cannot be read or is not JSON. */
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
  /** The names in a folder, without the folder. Files with invalid names are ignored. */
  list(folder: string): Promise<string[]>;
  /** Moves an invalid value aside, where a person can still inspect it. */
  quarantine(name: string): Promise<void>;
  /** Runs `work` while no other process holds the lock of the same name. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Calls `changed` when something in the folder may have changed, in any process. Returns a function that stops watching. */
  watch(folder: string, changed: () => void): () => void;
}

/** A stored value exists but cannot be read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

const PART = '[a-z0-9_-]{1,100}';
const NAME = new RegExp(`^${PART}(?:/${PART}){0,2}$`, 'i');

/** Whether a text is a valid name of a value. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

export function checkedName(name: string): string {
  if (isName(name)) return name;
  throw new TypeError(
    `'${name}' is not a valid name in the state folder. Use letters, digits, - and _, with / between parts`,
  );
}
