import { SEND_PIECES, type StreamChannel, waitOf } from '../../protocol/channel.ts';
import type { Logger } from '../../protocol/log.ts';
import { type MessageText, wholeText } from '../../protocol/message-text.ts';

/** Sends messages on a channel. After the first failure nothing more is sent. */
export interface Outbox {
  /** Sends a message. A returned promise resolves when the channel can take more; it never rejects. */
  send(text: MessageText): void | Promise<void>;
  /** Resolves when the channel can take more; undefined while it can. */
  readonly blocked: Promise<void> | undefined;
  readonly broken: boolean;
  /** The peer has closed: from now on a failure to send is expected and not reported. */
  peerClosed(): void;
}

/** Makes the outbox of a channel. */
export function createOutbox(channel: StreamChannel, log: Logger): Outbox {
  const sendWhole = (text: MessageText): unknown => channel.send(wholeText(text));
  let broken = false;
  let peerHasClosed = false;
  let blocked: Promise<void> | undefined;
  const fail = (error: unknown): void => {
    if (broken) return;
    broken = true;
    log({
      level: peerHasClosed ? 'debug' : 'warn',
      event: 'channel-broken',
      message: 'The peer cannot be reached any more',
      details: error,
    });
    void (async () => channel.close())().catch(() => {});
  };
  return {
    send(text) {
      if (broken) return undefined;
      try {
        // Looked up for each message: a program may replace `send`.
        const sent = waitOf((channel.send[SEND_PIECES] ?? sendWhole)(text));
        if (sent === undefined) return undefined;
        const settled: Promise<void> = sent.then(undefined, fail).then(() => {
          if (blocked === settled) blocked = undefined;
        });
        blocked = settled;
        return settled;
      } catch (error) {
        return fail(error);
      }
    },
    get blocked() {
      return blocked;
    },
    get broken() {
      return broken;
    },
    peerClosed() {
      peerHasClosed = true;
    },
  };
}
