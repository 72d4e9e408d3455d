import { formatIssues, readSchema } from 'tenon/schema';
import { plain, readExact } from '../json/exact.ts';

/** Returns a function that validates a JSON text against a schema, with one line for each issue. */
export function createJsonCheck(schema: string): (text: string) => readonly string[] {
  const read = readSchema(plain(readExact(schema)));
  return (text) => {
    let value: unknown;
    try {
      value = plain(readExact(text));
    } catch {
      return [];
    }
    return read.check(value).map((issue) => formatIssues([issue]));
  };
}
