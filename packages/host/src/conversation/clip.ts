import { createHash } from 'node:crypto';
import { wellFormed } from '../values/well-formed.ts';

/** The text, or its beginning and how much of it is left out. */
export const clip = (text: string, limit: number): string => {
  if (text.length <= limit) return wellFormed(text);
  // Not between the halves of a pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${wellFormed(text.slice(0, end))}\n[${count(text.length - end)} more characters were left out here.]`;
};

/** The first line, short enough for a list. */
export const oneLine = (text: string, limit = 160): string => {
  const [line = ''] = text.trim().split(/\r\n|[\n\r\u2028\u2029]/);
  const plain = wellFormed(line.replace(/\s+/g, ' ').trim());
  return plain.length <= limit ? plain : `${wellFormed(plain.slice(0, limit - 1))}…`;
};

/** A number that can be read: `1,234`. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** A size that can be read, of bytes in base64. */
export const sizeOf = (base64: string): string => {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 10_000 ? `${count(bytes)} bytes` : `${count(Math.round(bytes / 1_000))} kB`;
};

/** About how many tokens a text is. Four characters are a token, more or less. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / 4);

/** The text between two marks that are not in it: where it has some that look like them, nobody can know ours before. */
export const between = (content: string): string => {
  const isPlain = !/<[\s/]*data/i.test(content);
  const mark = isPlain ? 'data' : `data-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  return `<${mark}>\n${content}\n</${mark}>`;
};
