// One after the other, by name.

const last = new Map<string, Promise<unknown>>();

/** Runs something when everything of the same name that was begun before is over. */
export const inTurn = <T>(name: string, run: () => Promise<T>): Promise<T> => {
  const before = last.get(name) ?? Promise.resolve();
  const now = before.then(run, run);
  const settled = now.then(
    () => {},
    () => {},
  );
  last.set(name, settled);
  void settled.then(() => {
    if (last.get(name) === settled) last.delete(name);
  });
  return now;
};
