import type { KeyFile, KeyFileOptions } from './key-file.ts';

/**
 * Reads the keys in a file: one on each line, the first one seals, all of them open. The file is read again when it changes, is replaced, or
 * is a link that changes. Content that cannot be used, such as an empty file, is reported, and the keys stay as they were. Rejects with an
 * `Error` if the file cannot be used at first.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { keysInFile, serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * await serveHttp(app, { keys: await keysInFile('/run/secrets/tenon-keys') });
 * ```
 */
export async function keysInFile(path: string, options: KeyFileOptions = {}): Promise<KeyFile> {
  // Most programs have no such file.
  return (await import('./key-file.ts')).keysInFile(path, options);
}
