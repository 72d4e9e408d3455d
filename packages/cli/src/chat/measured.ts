import type { WriteStream } from 'node:tty';

/** A terminal that does not know its size says 0. */
const COLUMNS = 80;
const ROWS = 24;

/** The same terminal, always with a size: who draws by a width of 0 draws nothing, or for ever. */
export const measured = (output: WriteStream): WriteStream =>
  new Proxy(output, {
    get(target, name) {
      if (name === 'columns') return target.columns || COLUMNS;
      if (name === 'rows') return target.rows || ROWS;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
