import { reply, text } from 'tenon';
import { z } from 'zod';
import { AccessError } from '../../shared/folders.ts';

/** Most characters of an answer as JSON, half of it: it is in it as text and as structured content. Some clients take no more than 10 MiB. */
export const MOST_ANSWER = 3 * 1024 * 1024;

export const CONTENT = z.object({ content: z.string() });

/** As the original gives it: the text, and the same again as structured content. */
export const shown = (content: string) => {
  if (JSON.stringify(content).length > MOST_ANSWER)
    throw new AccessError('The answer would be too large: ask for less, or exclude some');
  return reply({ content: [text(content)], structuredContent: { content } });
};
