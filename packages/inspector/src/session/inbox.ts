import type { AskContext, ElicitResult, Question, SampleContext } from 'tenon/client';
import type { InboxAnswer, InboxItem } from '../api/views.ts';
import { readJson } from '../values/exact-json.ts';
import { WorkbenchError } from './contract.ts';

type SampleHandler = Extract<
  NonNullable<import('tenon/client').ClientOptions['sample']>,
  { handler: unknown }
>['handler'];
type Sampled = Awaited<ReturnType<SampleHandler>>;
type SampleParams = Parameters<SampleHandler>[0];

/** Everything that servers want of the person, in the order it came. */
export interface Inbox {
  readonly items: readonly InboxItem[];
  elicit(who: Asker, question: Question, context: AskContext): Promise<ElicitResult>;
  sample(who: Asker, params: SampleParams, context: SampleContext): Promise<Sampled>;
  answer(id: string, answer: InboxAnswer): void;
}

/** Who asks. `line`: where it does; `garbage`: sends an answer that is none. */
export interface Asker {
  readonly server: string;
  readonly session: string;
  now(): number;
  /** `same`: are these the parameters of the question? */
  line(
    method: string,
    context: AskContext,
    same: (params: Readonly<Record<string, unknown>>) => boolean,
  ): number | undefined;
  garbage(result: string, line: number | undefined, context: AskContext): Promise<void>;
}

interface Waiting {
  item: InboxItem;
  settle(answer: InboxAnswer): void;
}

/** More are not kept: the oldest that are done go first. */
const MOST = 200;

const parsed = (text: string | undefined, what: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = readJson(text ?? '{}');
  } catch (error) {
    throw new WorkbenchError('bad-request', `${what} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WorkbenchError('bad-request', `${what} must be a JSON object`);
  return value as Record<string, unknown>;
};

export const createInbox = (changed: () => void, clean: (text: string) => string = (text) => text): Inbox => {
  const all = new Map<string, Waiting>();
  let count = 0;

  const change = (waiting: Waiting, change: Partial<InboxItem>): void => {
    waiting.item = { ...waiting.item, ...change };
    changed();
  };

  const trim = (): void => {
    for (const [id, { item }] of all) {
      if (all.size <= MOST) return;
      if (item.status !== 'open') all.delete(id);
    }
  };

  /** Waits for the person; while the question is still wanted. */
  const ask = <T>(
    who: Asker,
    context: AskContext,
    item: Omit<InboxItem, 'id' | 'server' | 'session' | 'at' | 'status' | 'line'> & {
      readonly method: string;
      readonly same: (params: Readonly<Record<string, unknown>>) => boolean;
    },
    take: (answer: InboxAnswer) => T,
  ): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const { method, same, ...asked } = item;
      // What servers write may hold what they read in their environment; no page needs that.
      const shown = JSON.parse(clean(JSON.stringify(asked))) as typeof asked;
      const line = who.line(method, context, same);
      const id = `ask-${++count}`;
      const waiting: Waiting = {
        item: {
          ...shown,
          id,
          server: who.server,
          session: who.session,
          ...(line === undefined ? {} : { line }),
          at: who.now(),
          status: 'open',
        },
        settle(answer) {
          if (answer.action === 'ignore') return change(waiting, { status: 'answered', answer: 'no answer' });
          if (answer.action === 'garbage') {
            parsed(answer.result, 'The answer');
            void who.garbage(answer.result, line, context).catch(reject);
            return change(waiting, { status: 'answered', answer: answer.result });
          }
          let result: T;
          try {
            result = take(answer);
          } catch (error) {
            // An answer that cannot be read can be written again; a refusal is an answer.
            if (error instanceof WorkbenchError) throw error;
            change(waiting, { status: 'answered', answer: answer.action });
            return reject(error as Error);
          }
          change(waiting, { status: 'answered', answer: answer.action });
          return resolve(result);
        },
      };
      all.set(id, waiting);
      trim();
      changed();
      const withdraw = (): void => {
        if (waiting.item.status === 'open') change(waiting, { status: 'withdrawn' });
        reject(context.signal.reason as Error);
      };
      if (context.signal.aborted) withdraw();
      else context.signal.addEventListener('abort', withdraw, { once: true });
    });

  return {
    get items() {
      return [...all.values()].map(({ item }) => item);
    },
    elicit(who, question, context) {
      const { message } = question;
      const about =
        question.mode === 'form'
          ? { kind: 'form' as const, message, schema: JSON.stringify(question.schema), defaults: question.defaults }
          : { kind: 'url' as const, message, url: question.url };
      return ask<ElicitResult>(
        who,
        context,
        { ...about, method: 'elicitation/create', same: (asked) => asked['message'] === message },
        (answer) =>
          answer.action === 'accept'
            ? {
                action: 'accept',
                ...(question.mode === 'form'
                  ? { content: parsed(answer.content, 'The answer') as NonNullable<ElicitResult['content']> }
                  : {}),
              }
            : { action: answer.action === 'cancel' ? 'cancel' : 'decline' },
      );
    },
    sample(who, params, context) {
      const last = params.messages.at(-1) as { content?: { text?: unknown } } | undefined;
      const message = typeof last?.content?.text === 'string' ? last.content.text.slice(0, 500) : 'asks a model';
      return ask<Sampled>(
        who,
        context,
        {
          kind: 'sampling',
          message,
          request: JSON.stringify(params),
          method: 'sampling/createMessage',
          same: (asked) => JSON.stringify(asked['messages']) === JSON.stringify(params.messages),
        },
        (answer) => {
          if (answer.action === 'accept') return parsed(answer.content, 'The answer') as unknown as Sampled;
          return context.reject(answer.action === 'cancel' ? 'Cancelled' : undefined);
        },
      );
    },
    answer(id, answer) {
      const waiting = all.get(id);
      if (waiting === undefined) throw new WorkbenchError('gone', 'There is no such question any more');
      if (waiting.item.status !== 'open') throw new WorkbenchError('gone', 'This question has been answered');
      waiting.settle(answer);
    },
  };
};
