import { type SseEvent, SseParser } from 'tenon/internal';
import { shownLocation } from '../headers.ts';
import { MAX_MESSAGE_LENGTH } from '../tap-log.ts';
import type { ExchangeLines } from './exchange-lines.ts';
import { keepText } from './kept-text.ts';

/** Reads the body of an answer as it arrives, and writes its lines. */
export interface AnswerBody {
  push(chunk: Buffer): void;
  /** The body is complete. */
  end(): void;
}

/** The most that is recorded of a body that is not a message, in bytes. */
export const SHOWN_BODY = 64 * 1024;

/** An event stream. `onEndpoint` receives the URL for messages (2024-11-05). */
export function eventStreamBody(lines: ExchangeLines, onEndpoint: (url: string) => void): AnswerBody {
  let broken = false;

  const event = ({ kind, event: name, id, data }: SseEvent): void => {
    const isEndpoint = name === 'endpoint';
    const about = isEndpoint ? [shownLocation(data)] : kind === 'empty' ? ['no data'] : [];
    const text = [`event: ${name}`, ...(id === '' ? [] : [`id: ${id}`]), ...about].join('; ');
    lines.part({ part: 'event', event: { name, id } }, text);
    if (isEndpoint) onEndpoint(data);
    else if (kind === 'invalid') lines.aside('lost', 'server', 'An event of the stream is not valid UTF-8');
    else if (kind === 'message') lines.message('server', data, () => lines.aside('junk', 'server', data));
  };
  const parser = new SseParser(event, { maxBytes: MAX_MESSAGE_LENGTH });

  return {
    push(chunk) {
      if (broken) return;
      try {
        parser.push(chunk);
      } catch (error) {
        if ((error as Error).name !== 'SseError') throw error;
        broken = true;
        lines.aside('lost', 'server', `The stream is not read any further: ${(error as Error).message}`);
      }
    },
    end() {},
  };
}

/** A body that is a single text. `expected`: it should be a message. */
export function plainBody(lines: ExchangeLines, expected: boolean): AnswerBody {
  const kept = keepText(MAX_MESSAGE_LENGTH);
  return {
    push: kept.push,
    end() {
      if (kept.bytes === 0) return;
      if (kept.tooLong) return lines.tooLong('server', 'answer', kept.bytes);
      const text = kept.text();
      lines.message('server', text, () => {
        // If a message is expected, it is an error. Otherwise it is recorded as the body.
        if (expected) lines.aside('junk', 'server', text);
        else
          lines.part({ part: 'body', body: text.slice(0, SHOWN_BODY) }, `${kept.bytes} bytes that are not a message`);
      });
    },
  };
}
