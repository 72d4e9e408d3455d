import type { AskContext, ElicitResult, Question, SampleContext } from 'tenon/client';
import { formProblem } from 'tenon/forms';
import type { InboxAnswer } from '../api/bodies.ts';
import type { InboxItem } from '../api/views.ts';
import { readJson } from '../values/exact-json.ts';
import { isFolderUri } from '../values/folder-uri.ts';
import { WorkbenchError } from './contract.ts';
import { readScript, type Script } from './script.ts';

type SampleHandler = Extract<
  NonNullable<import('tenon/client').ClientOptions['sample']>,
  { handler: unknown }
>['handler'];
type Sampled = Awaited<ReturnType<SampleHandler>>;
type SampleParams = Parameters<SampleHandler>[0];
type Root = { readonly uri: string; readonly name?: string };

/** The origin of a question. `line` finds its line; `garbage` sends an invalid answer. */
export interface Asker {
  readonly server: string;
  readonly session: string;
  /** The task that asks, if a task does. */
  readonly task?: string;
  now(): number;
  /** `same` returns whether these are the parameters of the question. */
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

/** The number of items kept. The oldest answered ones are dropped first. */
const MAX_ITEMS = 200;

function parsed(text: string | undefined, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = readJson(text ?? '{}');
  } catch (error) {
    throw new WorkbenchError('bad-request', `${what} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WorkbenchError('bad-request', `${what} must be a JSON object`);
  return value as Record<string, unknown>;
}

function isFolder(root: unknown): root is Root {
  return isFolderUri((root as { readonly uri?: unknown } | null)?.uri);
}

/** A question, and how its answer is read. */
interface Asking<T> {
  readonly method: string;
  readonly name?: string;
  /** The members that pages show. */
  readonly shown: Pick<InboxItem, 'kind' | 'message' | 'schema' | 'defaults' | 'url' | 'request' | 'roots'>;
  /** Returns whether these are the parameters of the question. */
  readonly same: (params: Readonly<Record<string, unknown>>) => boolean;
  /** The answer if no script has one, and the user is not asked. */
  readonly setting?: InboxAnswer;
  /** Throws a `WorkbenchError` for an answer that can be corrected, and any other error to reject the question. */
  readonly take: (answer: Extract<InboxAnswer, { action: 'accept' | 'decline' | 'cancel' }>) => T;
}

/** All requests of servers for the user, in the order in which they arrived. */
export class Inbox {
  /** The scripted answers, which are used before anyone sees the question. */
  script: Script = readScript('');
  readonly #changed: () => void;
  readonly #clean: (text: string) => string;
  readonly #all = new Map<string, Waiting>();
  #count = 0;

  constructor(changed: () => void, clean: (text: string) => string = (text) => text) {
    this.#changed = changed;
    this.#clean = clean;
  }

  get items(): readonly InboxItem[] {
    return [...this.#all.values()].map(({ item }) => item);
  }

  elicit(asker: Asker, question: Question, context: AskContext): Promise<ElicitResult> {
    const { message, mode, name } = question;
    return this.#ask<ElicitResult>(asker, context, {
      method: 'elicitation/create',
      name,
      shown:
        mode === 'form'
          ? { kind: 'form', message, schema: JSON.stringify(question.schema), defaults: question.defaults }
          : { kind: 'url', message, url: question.url },
      same: (asked) => asked['message'] === message,
      take(answer) {
        if (answer.action !== 'accept' || mode === 'url') return { action: answer.action };
        const content = parsed(answer.content, 'The answer') as NonNullable<ElicitResult['content']>;
        const problem = formProblem(question, content);
        if (problem !== undefined)
          throw new WorkbenchError(
            'bad-request',
            `This does not fit the form: ${problem}`,
            'Invalid content can be sent as an invalid answer.',
          );
        return { action: 'accept', content };
      },
    });
  }

  sample(asker: Asker, params: SampleParams, context: SampleContext): Promise<Sampled> {
    const last = params.messages.at(-1) as { content?: { text?: unknown } } | undefined;
    const message =
      typeof last?.content?.text === 'string' ? last.content.text.slice(0, 500) : 'asks for a model response';
    return this.#ask<Sampled>(asker, context, {
      method: 'sampling/createMessage',
      shown: { kind: 'sampling', message, request: JSON.stringify(params) },
      same: (asked) => JSON.stringify(asked['messages']) === JSON.stringify(params.messages),
      take(answer) {
        if (answer.action === 'accept') return parsed(answer.content, 'The answer') as unknown as Sampled;
        return context.reject(answer.action === 'cancel' ? 'Cancelled' : undefined);
      },
    });
  }

  /** `folders`: the configured roots. `ask`: they are only a proposal. */
  roots(asker: Asker, folders: readonly string[], ask: boolean, context: AskContext): Promise<readonly Root[]> {
    const roots = JSON.stringify({ roots: folders.map((uri) => ({ uri })) });
    return this.#ask<readonly Root[]>(asker, context, {
      method: 'roots/list',
      shown: { kind: 'roots', message: 'Which folders may it work in?', roots },
      same: () => true,
      setting: ask ? undefined : { action: 'accept', content: roots },
      take(answer) {
        if (answer.action !== 'accept') throw new Error('The person does not say which folders there are');
        const { roots: given } = parsed(answer.content, 'The answer');
        if (!Array.isArray(given) || !given.every(isFolder))
          throw new WorkbenchError(
            'bad-request',
            'The answer must have an array "roots" of folders',
            'A folder is {"uri":"file:///home/ann/work"}. What is no folder can be sent as a bad answer.',
          );
        return given;
      },
    });
  }

  answer(id: string, answer: InboxAnswer): void {
    const waiting = this.#all.get(id);
    if (waiting === undefined) throw new WorkbenchError('gone', 'This question no longer exists');
    if (waiting.item.status !== 'open') throw new WorkbenchError('gone', 'This question has been answered');
    waiting.settle(answer);
  }

  #change(waiting: Waiting, change: Partial<InboxItem>): void {
    waiting.item = { ...waiting.item, ...change };
    this.#changed();
  }

  #trim(): void {
    for (const [id, { item }] of this.#all) {
      if (this.#all.size <= MAX_ITEMS) return;
      if (item.status !== 'open') this.#all.delete(id);
    }
  }

  /** Answers without the user, if a script or a setting has an answer. */
  #answerAtOnce<T>(waiting: Waiting, { method, name, shown, setting }: Asking<T>): void {
    const scripted = this.script.answerTo({ method, message: shown.message, name });
    const answer = scripted ?? setting;
    if (answer === undefined) return;
    const by = scripted === undefined ? 'setting' : 'script';
    waiting.item = { ...waiting.item, by };
    try {
      waiting.settle(answer);
    } catch (error) {
      // The user can still answer.
      const { by: _, ...item } = waiting.item;
      waiting.item = { ...item, problem: `The scripted answer cannot be used: ${(error as Error).message}` };
    }
  }

  /** Waits for the answer, until the question is withdrawn. */
  #ask<T>(asker: Asker, context: AskContext, asking: Asking<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { method, name, same } = asking;
      // Servers may quote secrets from their environment; no page needs them.
      const shown = JSON.parse(this.#clean(JSON.stringify(asking.shown))) as typeof asking.shown;
      const { server, session, task } = asker;
      const line = asker.line(method, context, same);
      const id = `ask-${++this.#count}`;
      const key = name ?? (method === 'elicitation/create' ? undefined : method);
      const waiting: Waiting = {
        item: { ...shown, key, id, server, session, line, task, at: asker.now(), status: 'open' },
        settle: (answer) => {
          if (answer.action === 'ignore') return this.#change(waiting, { status: 'answered', answer: 'no answer' });
          if (answer.action === 'garbage') {
            parsed(answer.result, 'The answer');
            void asker.garbage(answer.result, line, context).catch(reject);
            return this.#change(waiting, { status: 'answered', answer: answer.result });
          }
          const settled = read(asking, answer);
          this.#change(waiting, { status: 'answered', answer: answer.action });
          return 'refusal' in settled ? reject(settled.refusal) : resolve(settled.result);
        },
      };
      this.#all.set(id, waiting);
      this.#trim();
      this.#answerAtOnce(waiting, asking);
      this.#changed();
      const withdraw = (): void => {
        if (waiting.item.status === 'open') this.#change(waiting, { status: 'withdrawn' });
        reject(context.signal.reason as Error);
      };
      if (context.signal.aborted) withdraw();
      else context.signal.addEventListener('abort', withdraw, { once: true });
    });
  }
}

/** The result for an answer, or a rejection. Throws a `WorkbenchError` for an answer that can be corrected. */
function read<T>(
  { take }: Asking<T>,
  answer: Parameters<Asking<T>['take']>[0],
): { readonly result: T } | { readonly refusal: Error } {
  try {
    return { result: take(answer) };
  } catch (error) {
    if (error instanceof WorkbenchError) throw error;
    return { refusal: error as Error };
  }
}
