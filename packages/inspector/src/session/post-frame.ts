import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectOptions } from 'tenon/client';
import { saysJsonRpc } from '../record/says-json-rpc.ts';
import type { Recorder } from '../record/recorder.ts';

/** The answer may be a stream that does not end: then the events so far have been recorded, and the rest is not waited for. */
const FRAME_MS = 30_000;
const FRAME_BYTES = 4 * 1024 * 1024;

/** Splits a stream into events as they arrive, and passes on their data. */
function createEvents(take: (data: string) => void) {
  let left = '';
  const flush = (event: string): void => {
    const data = [...event.matchAll(/^data:(?: ?)(.*)$/gm)].map(([, line]) => line).join('\n');
    if (data !== '') take(data);
  };
  return {
    push(text: string): void {
      left = (left + text).replaceAll('\r\n', '\n');
      for (let end = left.indexOf('\n\n'); end >= 0; end = left.indexOf('\n\n')) {
        flush(left.slice(0, end));
        left = left.slice(end + 2);
      }
    },
  };
}

/** Records the content of an answer as it arrives. */
async function record(answer: IncomingMessage, recorder: Recorder, cause: number): Promise<void> {
  const write = (text: string): void =>
    void recorder.write({ kind: saysJsonRpc(text) ? 'message' : 'junk', from: 'server', cause, text });
  const isStream = String(answer.headers['content-type'] ?? '').startsWith('text/event-stream');
  const events = createEvents(write);
  let body = '';
  let length = 0;
  // A character may span two chunks. Invalid UTF-8 is not replaced: that would be another message.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const bytes of answer as AsyncIterable<Buffer>) {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: true });
    } catch {
      recorder.write({ kind: 'lost', from: 'server', cause, text: 'An answer that is not UTF-8' });
      return;
    }
    length += text.length;
    if (length > FRAME_BYTES) {
      recorder.write({ kind: 'lost', from: 'server', cause, text: `The rest after ${FRAME_BYTES} characters` });
      return;
    }
    if (isStream) events.push(text);
    else body += text;
  }
  if (body.trim() !== '') write(body);
}

/** Sends, and records the answer as far as it arrives. Never rejects. */
async function exchange(
  url: string,
  text: string,
  recorder: Recorder,
  fields: Readonly<Record<string, string>>,
  sent: number,
  closed: AbortSignal,
): Promise<void> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const late = AbortSignal.timeout(FRAME_MS);
  const signal = AbortSignal.any([late, closed]);
  let answered = false;
  try {
    const request = send(url, { method: 'POST', headers: fields, signal });
    request.end(text);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answered = true;
    const type = String(answer.headers['content-type'] ?? '');
    const head = recorder.write({ kind: 'http', cause: sent, text: `${answer.statusCode}; content-type: ${type}` });
    await record(answer, recorder, head.n);
  } catch (error) {
    const given = closed.aborted ? 'the connection was closed' : `${FRAME_MS / 1000} s have passed`;
    const why = signal.aborted ? given : (error as Error).message;
    if (answered && signal.aborted)
      recorder.write({ kind: 'note', from: 'client', cause: sent, text: `No more of the answer is read: ${why}` });
    else recorder.write({ kind: 'lost', from: 'server', cause: sent, text: `No answer: ${why}` });
  }
}

/**
 * Sends a POST directly, without the client. Resolves when it has been sent; `done` resolves when the answer is recorded.
 * `closed` aborts it.
 */
export async function postFrame(
  url: string,
  text: string,
  recorder: Recorder,
  headers: Readonly<Record<string, string>>,
  auth: ConnectOptions['auth'],
  closed: AbortSignal,
): Promise<{ readonly done: Promise<void> }> {
  const credentials = (await auth?.credentials({ server: url, method: 'POST', url })) ?? {};
  const fields = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    ...credentials,
    'content-length': String(Buffer.byteLength(text)),
  };
  const { n } = recorder.write({ kind: 'message', from: 'client', text });
  return { done: exchange(url, text, recorder, fields, n, closed) };
}
