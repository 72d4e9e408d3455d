import { CODE } from '../../protocol/errors.ts';
import { type MessageText, wholeText } from '../../protocol/message-text.ts';
import { errorText } from '../../wire/text.ts';
import { invalidText } from './error-texts.ts';
import {
  type IncomingMessage,
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type InvalidMessage,
  readMessage,
} from './message.ts';
import type { MessageWriter, ResponseWriter, ServerCall } from './server-call.ts';

/** Answers are sent when this many characters have gathered, even if others are still missing. */
const MAX_GATHERED = 1024 * 1024;

/** The transport's functions for the answers to a batch. */
export interface BatchOutput extends MessageWriter {
  /** Sends answers as the text of an array. `last`: all requests of the batch have been answered. */
  sendAnswers(text: string, last: boolean): void;
  /** Everything has ended, and there was no answer since the last `sendAnswers`. */
  end?(requests: number): void;
  /** Called once, if some answers are not immediately available. */
  wait?(call: ServerCall): void;
  /** The answers have to be one array. */
  readonly single: boolean;
}

/** Gathers the answers to the requests of a batch (2025-03-26, "Batching"): one array, or several where they are large and may be split. */
export class BatchWriter implements ResponseWriter {
  readonly #output: BatchOutput;
  #texts: string[] = [];
  #characters = 0;
  #requests = 0;
  #open = 1;
  #waits = false;

  constructor(output: BatchOutput) {
    this.#output = output;
  }

  send(text: string): void | Promise<void> {
    return this.#output.send(text);
  }

  /** A request of the batch will be answered. */
  expect(): void {
    this.#requests++;
    this.#open++;
  }

  wait(call: ServerCall): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#output.wait?.(call);
  }

  finish(answer: MessageText): void {
    const text = wholeText(answer);
    // Before it is added: two answers that each fit into a string need not fit into one.
    if (!this.#output.single && this.#characters + text.length > MAX_GATHERED) this.#flush(false);
    this.#texts.push(text);
    this.#characters += text.length;
    this.close();
  }

  drop(): void {
    this.close();
  }

  /** Decrements the number of missing answers. Called once more when all messages have been read. */
  close(): void {
    if (--this.#open > 0) return;
    if (this.#texts.length > 0) this.#flush(true);
    else this.#output.end?.(this.#requests);
  }

  #flush(last: boolean): void {
    if (this.#texts.length === 0) return;
    const text = `[${this.#texts.join()}]`;
    this.#texts = [];
    this.#characters = 0;
    this.#output.sendAnswers(text, last);
  }
}

/** Handlers for the messages of a batch. */
export interface BatchHandlers {
  request(message: IncomingRequest, writer: ResponseWriter): void;
  /** A value that is not a message. It is answered with an error, unless it was meant as a notification. */
  invalid?(message: InvalidMessage): void;
  other(message: IncomingNotification | IncomingResponse): void;
}

/** Serves the messages of a batch one after the other; their answers go out together. */
export function serveBatch(messages: readonly IncomingMessage[], output: BatchOutput, handlers: BatchHandlers): void {
  const writer = new BatchWriter(output);
  for (const message of messages) {
    if (message.kind === 'notification' || message.kind === 'response') handlers.other(message);
    else if (message.kind === 'request') {
      writer.expect();
      handlers.request(message, writer);
    } else {
      handlers.invalid?.(message);
      const text = invalidText(message);
      if (text === undefined) continue;
      writer.expect();
      writer.finish(text);
    }
  }
  writer.close();
}

/** Serves a parsed batch from a channel. Its answers are sent with `send`, in one array or several. */
export function serveChannelBatch(
  values: readonly unknown[],
  most: number,
  send: (text: string) => void | Promise<void>,
  handlers: BatchHandlers,
): void {
  if (values.length === 0 || values.length > most) {
    const error = { code: CODE.invalidRequest, message: `A batch has 1 to ${most} messages` };
    return void send(errorText(undefined, error));
  }
  return serveBatch(values.map(readMessage), { single: false, send, sendAnswers: (text) => void send(text) }, handlers);
}
