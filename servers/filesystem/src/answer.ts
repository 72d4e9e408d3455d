import { reply, text } from 'tenon';
import { z } from 'zod';
import { AccessError } from '../../shared/folders.ts';

/** Maximum length of a result's text as JSON. It is sent twice, as text and as structured content, and some clients accept only 10 MiB. */
export const MAX_RESULT_LENGTH = 3 * 1024 * 1024;

export const CONTENT = z.object({ content: z.string() });

/** The result like that of the original server: text, and the same text as structured content. */
export function shown(content: string) {
  if (JSON.stringify(content).length > MAX_RESULT_LENGTH)
    throw new AccessError('The result would be too large: request less, or exclude some entries');
  return reply({ content: [text(content)], structuredContent: { content } });
}
