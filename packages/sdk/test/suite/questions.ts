// A scripted user and model that answer a server's questions, and the questions as they appear on the wire.
import type { ConnectOptions, Question } from '../../src/entries/client.ts';
import type { SampleParams, SampleResult } from '../../src/entries/index.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import type { Cell, Wired } from './cells.ts';

/** The answers of the user. A test sets what it needs; `asked` are the questions that were shown. */
export const user: { answer: (question: Question, time: number) => unknown; asked: Question[] } = {
  answer: () => ({ action: 'cancel' }),
  asked: [],
};

export function answering(answer: typeof user.answer): void {
  user.asked = [];
  user.answer = answer;
}

export function accept(content: Record<string, unknown>) {
  return { action: 'accept', content };
}

function poet(model: string): SampleResult {
  return { role: 'assistant', content: { type: 'text', text: 'Roses' }, model };
}

/** A client that supports everything. */
export const fullClient: ConnectOptions = {
  elicit: {
    url: true,
    handler(question) {
      user.asked.push(question);
      return user.answer(question, user.asked.length) as never;
    },
  },
  sample: { tools: true, handler: (params: SampleParams) => poet(params.tools === undefined ? 'poet' : 'tooled') },
  roots: ['file:///a'],
};

/** The capabilities of that client. */
export const ALL_CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** Does this revision have elicitation? */
export function elicits({ revision }: Cell): boolean {
  return featuresOf(revision).elicitation !== 'none';
}
export function visits({ revision }: Cell): boolean {
  return featuresOf(revision).elicitation === 'full';
}

const METHODS = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** A question on the wire. All questions of one round were sent before any of them was answered. */
export interface Sent {
  readonly round: number;
  readonly name: string;
  readonly method: string;
  readonly params: Record<string, any>;
}

/** The questions a server sent, in either era. */
export function questionsOn(wire: readonly Wired[]): Sent[] {
  const sent: Sent[] = [];
  let round = 1;
  let answered = false;
  for (const { from, message } of wire) {
    if (from === 'client') answered ||= message.method === undefined;
    else if (message.result?.['resultType'] === 'input_required') {
      for (const [name, { method, params }] of Object.entries(
        message.result['inputRequests'] as Record<string, { method: string; params: object }>,
      ))
        sent.push({ round, name, method, params });
      round++;
    } else if (METHODS.has(message.method ?? '')) {
      if (answered) round++;
      answered = false;
      const { _meta, ...params } = message.params!;
      sent.push({ round, name: _meta['dev.tenon/question'], method: message.method!, params });
    }
  }
  return sent;
}

/** A short form of the same: `1 poem, 2 roots`. */
export function roundsOn(wire: readonly Wired[]): string {
  return questionsOn(wire)
    .map(({ round, name }) => `${round} ${name}`)
    .join(', ');
}
