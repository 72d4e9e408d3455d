/** A server on stdio that writes headers before its messages, as the Language Server Protocol does. */
export const FRAMING = {
  message:
    'The server writes its messages with the framing of the Language Server Protocol: a Content-Length header before each',
  fix: 'The framing of MCP is one message per line, without headers.',
} as const;

/** Returns whether a line is a header of the Language Server Protocol. */
export function isFrameHeader(line: string): boolean {
  return /^content-length:\s*\d+\s*$/i.test(line.slice(0, 100));
}

/** No message can be read from the server. */
export class FramingError extends Error {
  override readonly name = 'FramingError';
  constructor() {
    super(FRAMING.message);
  }
}

interface Entry {
  readonly kind: string;
  readonly text: string;
}

/** Calls `found` as soon as the traffic of a process shows that its messages are framed. One that has sent a message frames correctly. */
export function watchFraming(found: () => void): (entry: Entry) => void {
  let isKnown = false;
  return ({ kind, text }) => {
    if (isKnown || (kind !== 'received' && kind !== 'junk')) return;
    const isFramed = kind === 'junk' && isFrameHeader(text);
    isKnown = isFramed || kind === 'received';
    if (isFramed) found();
  };
}
