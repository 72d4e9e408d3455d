import type { AuthStep, Side } from '../../trace/line.ts';
import type { PassedHttp } from '../recorder.ts';
import { saysJsonRpc } from '../says-json-rpc.ts';
import { MAX_MESSAGE_LENGTH } from '../tap-log.ts';
import type { TapSession } from './tap-sessions.ts';

/** Writes the lines of one exchange. */
export interface ExchangeLines {
  /** A part of the exchange that is not a message. */
  part(http: Omit<PassedHttp, 'exchange' | 'step'>, text: string): void;
  /** Text that may be a message. If it is not, `otherwise` is called. */
  message(from: Side, text: string, otherwise: () => void): void;
  /** Text that is not a message, and input that was not kept. */
  aside(kind: 'junk' | 'lost', from: Side, text: string): void;
  /** A text longer than the limit for recording. */
  tooLong(from: Side, what: string, bytes: number): void;
  note(text: string): void;
}

/** The lines of the next exchange of a session. `step`: its OAuth step. */
export function createExchangeLines({ recorder, nextExchange }: TapSession, step: AuthStep | undefined): ExchangeLines {
  const exchange = nextExchange();
  const aside: ExchangeLines['aside'] = (kind, from, text) => {
    if (from === 'server') recorder.onTrace({ kind, text, exchange });
    else recorder.write({ kind, from, text });
  };
  return {
    aside,
    part: (http, text) =>
      recorder.onTrace(
        step === undefined
          ? { kind: 'http', text, http: { ...http, exchange } }
          : { kind: 'auth', text, http: { ...http, exchange, step } },
      ),
    message(from, text, otherwise) {
      if (saysJsonRpc(text)) recorder.onTrace({ kind: from === 'client' ? 'sent' : 'received', text, exchange });
      else otherwise();
    },
    tooLong: (from, what, bytes) =>
      aside('lost', from, `The ${what} of ${bytes} bytes is longer than the ${MAX_MESSAGE_LENGTH} that are recorded`),
    note: (text) => void recorder.write({ kind: 'note', text }),
  };
}
