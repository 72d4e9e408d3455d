// A mutex for each name.

const last = new Map<string, Promise<unknown>>();

/** Runs `run` when all earlier runs under the same name have settled. */
export function runExclusive<T>(name: string, run: () => Promise<T>): Promise<T> {
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
}
