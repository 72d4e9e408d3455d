// Files of repositories as results and resources.
import { link } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import { textWithoutSecrets } from '../api/token.ts';

/** Larger files are given as links, in bytes. */
const MAX_INLINE_BYTES = 256 * 1024;

/** A file as services answer it. */
export interface EncodedFile {
  readonly size: number;
  readonly encoding?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/**
 * The text of a file without the token, which is hidden in what the service sends; undefined if it is not UTF-8, or too large to be part of
 * an answer.
 */
export function textOfFile({ encoding, content, size }: EncodedFile, token: string | undefined): string | undefined {
  if (size > MAX_INLINE_BYTES || encoding !== 'base64' || content == null) return undefined;
  const text = decodeUtf8(Buffer.from(content, 'base64'));
  return text === undefined ? undefined : textWithoutSecrets(text, token === undefined ? [] : [token]);
}

/** What to say about a file that is not part of the answer. */
export function notesOnFile(uri: string, { path, name, size }: { path: string; name: string; size: number }) {
  const why = size > MAX_INLINE_BYTES ? '' : ' that are not text';
  return [`${path} has ${size} bytes${why}: read it by its link.`, link(uri, name, { size })];
}

/** A path as a part of a URI. */
export function pathInUri(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
}

/** The texts that start with the typed one. Empty if the service refuses, because a completion cannot report an error. */
export async function completionsOf(typed: string, read: () => Promise<readonly string[]>): Promise<string[]> {
  const found = await read().catch(() => []);
  return found.filter((text) => text.startsWith(typed));
}
