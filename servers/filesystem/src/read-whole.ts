import { AccessError } from '../../shared/folders.ts';
import type { Opened } from './access.ts';
import { MAX_BYTES, partOf } from './text.ts';

/** The complete text of a file. Throws an `AccessError` if it is larger than one part. */
export async function readWhole(file: Opened, asked: string): Promise<string> {
  const { text: content, next } = await partOf(file, asked, 0);
  if (next !== undefined) throw new AccessError(`${asked} has more than ${MAX_BYTES} bytes`);
  return content;
}
