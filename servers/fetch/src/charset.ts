// Determines the charset of a page. A note tells the reader about doubts and errors.
import { decodeUtf8 } from '@tenon/values/utf8';

/** How much of a page is searched for its charset, in bytes; as browsers do (HTML, 13.2.3.2). */
const SEARCHED = 1_024;

/** The text of a page. */
export interface DecodedPage {
  readonly text: string;
  /** What the reader should know about the decoding; undefined if there is no doubt about the text. */
  readonly note: string | undefined;
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** The charset that a page declares, in a `meta` element or an XML declaration. */
function namedInside(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, SEARCHED);
  const [, label] =
    /^\s*<\?xml[^>]{1,200}?\sencoding\s*=\s*["']([\w:.-]+)/.exec(start) ??
    /<meta\s[^>]{0,400}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ??
    [];
  // The declaration was read as ASCII, so the page cannot be UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

/** The decoder of a charset; undefined for an unknown charset. */
function decoderOf(label: string, fatal: boolean): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label, { fatal });
  } catch {
    return undefined;
  }
}

/** Decodes a page with a charset that it names. Invalid bytes become U+FFFD, and the note says so. Undefined for an unknown charset. */
function named(bytes: Buffer, label: string): DecodedPage | undefined {
  const strict = decoderOf(label, true);
  if (strict === undefined) return undefined;
  try {
    return { text: strict.decode(bytes), note: undefined };
  } catch {
    const note = `Some bytes of the page are not valid ${strict.encoding}, and are shown as \ufffd.`;
    return { text: decoderOf(label, false)!.decode(bytes), note };
  }
}

/**
 * Decodes a page by its byte order mark, the charset of its content type, or the one in the page. Without a known charset it is UTF-8 if
 * that is valid, else windows-1252, as in browsers.
 */
export function decodePage(bytes: Buffer, type: string): DecodedPage {
  const label = byteOrderMark(bytes) ?? /charset\s*=\s*"?([\w:.-]+)/i.exec(type)?.[1] ?? namedInside(bytes);
  const found = label === undefined ? undefined : named(bytes, label);
  if (found !== undefined) return found;
  const why =
    label === undefined ? 'The page does not say its charset' : `The charset '${label}' of the page is not known`;
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    const note = `${why}, and it is not UTF-8, so it was read as windows-1252.`;
    return { text: new TextDecoder('windows-1252').decode(bytes), note };
  }
  return { text, note: label === undefined ? undefined : `${why}, so it was read as UTF-8, which it can be.` };
}
