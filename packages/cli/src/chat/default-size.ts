import type { WriteStream } from 'node:tty';

/** Used for a terminal of unknown size, which reports 0. */
const COLUMNS = 80;
const ROWS = 24;

/** The same terminal, but never with size 0: code that wraps at a width of 0 draws nothing, or loops forever. */
export function withDefaultSize(output: WriteStream): WriteStream {
  return new Proxy(output, {
    get(target, name) {
      if (name === 'columns') return target.columns || COLUMNS;
      if (name === 'rows') return target.rows || ROWS;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
