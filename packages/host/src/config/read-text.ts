import { open, stat } from 'node:fs/promises';
import { ConfigError } from './config-error.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file. Check the path.',
  ENOTDIR: 'There is no such file. Check the path.',
  EACCES: 'Reading it is not permitted. Check its permissions.',
  EPERM: 'Reading it is not permitted. Check its permissions.',
  ELOOP: 'Its symbolic links form a cycle. Check them.',
};

/** Reads at most one byte more than allowed, as a file may grow while it is read. */
async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const bytes = new Uint8Array(maxBytes + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Reads a text file of at most `most` bytes, without its byte order mark. Throws a `ConfigError`. */
export async function readText(path: string, maxBytes: number): Promise<string> {
  let bytes: Uint8Array;
  try {
    // Opening a named pipe would wait for a writer.
    if (!(await stat(path)).isFile())
      throw new ConfigError('unreadable-file', 'It is not a file. Give the path of one.', { file: path });
    bytes = await readBytes(path, maxBytes);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = reasons[code] ?? `It could not be read (${code || 'unknown error'}). Check the path.`;
    throw new ConfigError('unreadable-file', reason, { file: path, cause: error });
  }
  if (bytes.length > maxBytes) {
    throw new ConfigError('too-large', `It has more than ${maxBytes} bytes. Remove what does not belong in it.`, {
      file: path,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Without a cause, which would add nothing.
    throw new ConfigError('unreadable-file', 'It is not UTF-8. Save it as UTF-8.', { file: path });
  }
}
