import { AccessError } from '../../shared/folders.ts';
import type { Opened } from './access.ts';
import { MOST_BYTES, partOf } from './text.ts';

/** All the text of a file. Throws an `AccessError` where that is more than one part. */
export const whole = async (file: Opened, asked: string): Promise<string> => {
  const { text: content, next } = await partOf(file, asked, 0);
  if (next !== undefined) throw new AccessError(`${asked} has more than ${MOST_BYTES} bytes`);
  return content;
};
