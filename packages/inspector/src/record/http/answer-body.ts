import { type SseEvent, SseParser } from 'tenon/internal';
import { shownLocation } from '../headers.ts';
import { MAX_MESSAGE_LENGTH } from '../tap-log.ts';
import type { ExchangeLines } from './exchange-lines.ts';
import { keepText } from './kept-text.ts';

/** Reads the body of an answer as it comes, and writes what it is. */
export interface AnswerBody {
  push(chunk: Buffer): void;
  /** All of it has come. */
  end(): void;
}

/** How much of a body that is not a message is recorded, in bytes. */
export const SHOWN_BODY = 64 * 1024;

/** A stream of events. `onEndpoint` is told where messages go (2024-11-05). */
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

/** A body that is one text. `expected`: there should be a message. */
export function plainBody(lines: ExchangeLines, expected: boolean): AnswerBody {
  const kept = keepText(MAX_MESSAGE_LENGTH);
  return {
    push: kept.push,
    end() {
      if (kept.bytes === 0) return;
      if (kept.tooLong) return lines.tooLong('server', 'answer', kept.bytes);
      const text = kept.text();
      lines.message('server', text, () => {
        // In the place of a message it is wrong; anywhere else it is what there is to say.
        if (expected) lines.aside('junk', 'server', text);
        else lines.part({ part: 'body', body: text.slice(0, SHOWN_BODY) }, `${kept.bytes} bytes that are no message`);
      });
    },
  };
}
