import type { Message } from './types.ts';

/** The texts of a message. */
export function textIn({ content }: Message): string {
  if (typeof content === 'string') return content.trim();
  const parts: readonly { readonly type: string; readonly text?: unknown }[] = content;
  return parts
    .map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join(' ')
    .trim();
}
