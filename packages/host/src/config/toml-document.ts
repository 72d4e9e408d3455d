import { ConfigError } from './config-error.ts';
import { type Data, type Document, MAX_DEPTH } from './document.ts';

/** The value of TOML as data: dates are text, and so are whole numbers that JavaScript cannot represent. */
function dataOf(value: unknown): Data {
  if (Array.isArray(value)) return value.map(dataOf);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value as Data;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dataOf(member)]));
}

/** Reads TOML, which does not allow duplicate members. Throws a `ConfigError`. */
export async function parseToml(text: string, file: string): Promise<Document> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return { data: dataOf(parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' })), duplicates: [] };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of the message quotes the line, which may contain a secret.
    const [reason = ''] = error.message.replace(/^Invalid TOML document:\s*/, '').split('\n');
    throw new ConfigError('invalid-syntax', `It is not TOML: ${reason.replace(/\.?$/, '.')}`, {
      file,
      at: { line: error.line, column: error.column },
    });
  }
}
