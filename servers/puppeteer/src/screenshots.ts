/** How many screenshots of a client are kept; the oldest are dropped first. */
const MAX_SCREENSHOTS = 50;
/** How many bytes of them are kept. */
const MAX_BYTES = 50 * 1024 * 1024;

/** The screenshots of a client, by name. */
export interface Screenshots {
  /** Keeps a screenshot, in place of an earlier one with the same name. */
  set(name: string, png: Buffer): void;
  get(name: string): Buffer | undefined;
  all(): Iterable<readonly [name: string, png: Buffer]>;
}

/** Makes an empty collection. */
export function createScreenshots(): Screenshots {
  const kept = new Map<string, Buffer>();
  let bytes = 0;
  const drop = (name: string): void => {
    bytes -= kept.get(name)?.length ?? 0;
    kept.delete(name);
  };
  return {
    set(name, png) {
      drop(name);
      kept.set(name, png);
      bytes += png.length;
      for (const oldest of kept.keys())
        if (oldest !== name && (kept.size > MAX_SCREENSHOTS || bytes > MAX_BYTES)) drop(oldest);
    },
    get: (name) => kept.get(name),
    all: () => kept,
  };
}
