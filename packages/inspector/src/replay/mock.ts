import { CODE } from 'tenon/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { factsOf, type Facts } from '../trace/facts.ts';
import { elementTexts } from '../values/json-text.ts';
import { claimIn, type Conversation, isModernIn, revisionOf } from './conversation.ts';
import { withId } from './exact.ts';
import { isOnlyProbe, madeUpGreeting } from './made-up.ts';
import { nearestTo, type Unknown } from './nearest.ts';
import { paramsIn, plainParams, progressTokenIn, readdressed, saysTheSame, type Scene, scriptOf } from './script.ts';

/** A server that repeats the behaviour of a recorded one. */
export interface Mock {
  /** The revision that was recorded. */
  readonly revision: string | undefined;
  readonly isModern: boolean;
  /** Connects a client. */
  connect(send: MockSend): MockConnection;
}

/**
 * Sends text to the client. `about`: the id of the request that it belongs to, as JSON. `last`: nothing more belongs to that
 * request. Its promise is awaited, so that a client is not sent more than it can take.
 */
export type MockSend = (text: string, about: string | undefined, last: boolean) => void | Promise<void>;

export interface MockConnection {
  /** Receives text of the client. */
  receive(text: string): void;
  /** The client has gone. */
  close(): void;
}

/** How a trace is served. */
export interface MockOptions {
  /** Called with notes for people: requests that the trace has no answer for. */
  readonly onNote?: (text: string) => void;
}

/** The time limit for the answer to a question of the server, in milliseconds. */
const QUESTION_MS = 10 * 60_000;
/** The longest pause between two messages, in milliseconds. Shorter pauses are as recorded. */
const MAX_PAUSE_MS = 20;
/** The most requests running at once. More are rejected. */
const MAX_RUNNING = 1_000;

const GREETINGS: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

function errorText(id: string, { code, message, data }: Unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${data === undefined ? '' : `,"data":${data}`}}}`;
}

/** The error for a request of another revision than the recorded one. */
function otherRevision(
  text: string,
  method: string,
  { revision, isModern }: Omit<Mock, 'connect'>,
): Unknown | undefined {
  if (revision === undefined || !isModern) return undefined;
  const requested =
    method === 'initialize'
      ? (JSON.parse(text) as { params?: { protocolVersion?: unknown } }).params?.protocolVersion
      : claimIn(text);
  if (requested === revision || (requested === undefined && method !== 'initialize')) return undefined;
  return {
    code: CODE.unsupportedVersion,
    message: `The trace is of revision ${revision}`,
    data: JSON.stringify({ supported: [revision], requested }),
  };
}

/** A recorded request being replayed. */
interface Run {
  cancelled: boolean;
}

/** Questions of the server that the client has not answered yet. */
function createOpenQuestions() {
  const open = new Map<string, () => void>();
  let last = 0;
  return {
    /** Asks, and waits for the answer. */
    ask: (text: string, tell: (text: string) => void): Promise<void> =>
      new Promise((resolve) => {
        const id = String(++last);
        const done = (): void => {
          clearTimeout(limit);
          open.delete(id);
          resolve();
        };
        const limit = setTimeout(done, QUESTION_MS).unref();
        open.set(id, done);
        tell(withId(text, id));
      }),
    answered: (id: string) => open.get(id)?.(),
    close() {
      for (const done of [...open.values()]) done();
    },
  };
}

/**
 * Creates a server from a recorded session. Requests are matched by method and params. The messages recorded before an answer are
 * sent again before it, including questions to the client. A request that is not in the trace gets an error that names the
 * nearest one.
 */
export function createMock(conversation: Conversation, { onNote }: MockOptions = {}): Mock {
  const scenes = scriptOf(conversation);
  const revision = revisionOf(conversation);
  const isModern = isModernIn(conversation);
  const elsewhere = isOnlyProbe(conversation) ? whereTheRestIs(conversation.file) : undefined;
  if (elsewhere !== undefined) onNote?.(`The trace holds server/discover only. ${elsewhere}`);
  const recording: Recording = { conversation, scenes, revision, isModern, elsewhere, onNote };
  return { revision, isModern, connect: (send) => new MockSession(recording, send) };
}

/** The data of a mock server. */
interface Recording extends Omit<Mock, 'connect'> {
  readonly conversation: Conversation;
  readonly scenes: readonly Scene[];
  /** Where the rest of the session is, if this trace is not complete. */
  readonly elsewhere: string | undefined;
  readonly onNote: MockOptions['onNote'];
}

/** A connection of one client. */
class MockSession implements MockConnection {
  readonly #recording: Recording;
  readonly #send: MockSend;
  readonly #sceneFinder: SceneFinder;
  readonly #openQuestions = createOpenQuestions();
  readonly #running = new Map<string, Run>();
  #closed = false;

  constructor(recording: Recording, send: MockSend) {
    this.#recording = recording;
    this.#send = send;
    this.#sceneFinder = createSceneFinder(recording.scenes);
  }

  receive(text: string): void {
    try {
      this.#receive(text);
    } catch (error) {
      const { message, id = 'null' } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
      this.#failed(error, message === 'notification' ? undefined : id);
    }
  }

  close(): void {
    this.#closed = true;
    this.#openQuestions.close();
  }

  #tell(...args: Parameters<MockSend>): ReturnType<MockSend> {
    const send = this.#send;
    return this.#closed ? undefined : send(...args);
  }

  #refuse(id: string, unknown: Unknown): void {
    void this.#tell(errorText(id, unknown), id, true);
  }

  async #play(events: readonly Facts[], token: string | undefined, id: string | undefined, run: Run): Promise<void> {
    const { conversation } = this.#recording;
    for (const { n, at, message, method } of events) {
      if (this.#closed || run.cancelled) return;
      const text = conversation.text(n);
      if (message === 'request')
        await this.#openQuestions.ask(text, (question) => void this.#tell(question, id, false));
      // Skipped if the current request does not ask for progress.
      else if (method !== 'notifications/progress' || token !== undefined)
        await this.#tell(readdressed(text, { progressToken: token, id }), id, false);
      // Some clients mix up messages that they read at once, so the pauses are kept.
      const next = conversation.at(n + 1)?.at ?? at;
      await sleep(Math.min(next - at, MAX_PAUSE_MS));
    }
  }

  async #answer(text: string, id: string, scene: Scene): Promise<void> {
    const run: Run = { cancelled: false };
    const token = progressTokenIn(text);
    this.#running.set(id, run);
    try {
      await this.#play(scene.before, token, id, run);
    } finally {
      this.#running.delete(id);
    }
    if (run.cancelled) return;
    if (scene.answer !== undefined) {
      const answer = withId(this.#recording.conversation.text(scene.answer.n), id);
      await this.#tell(readdressed(answer, { progressToken: token, id }), id, true);
    } else if (!scene.cancelled && scene.method !== 'subscriptions/listen')
      this.#refuse(id, { code: CODE.internalError, message: `The trace has no answer to line ${scene.n}` });
    this.#play(scene.after, token, undefined, run).catch((error: unknown) => this.#failed(error, undefined));
  }

  /** No message of a client may end the server, so a failure becomes an error answer. */
  #failed(error: unknown, id: string | undefined): void {
    const message = `This message cannot be answered from the trace: ${(error as Error).message}`;
    this.#recording.onNote?.(message);
    if (id !== undefined) this.#refuse(id, { code: CODE.internalError, message });
  }

  #request(text: string, { id = 'null', method = '' }: Facts): void {
    const { conversation, elsewhere, onNote, scenes } = this.#recording;
    const wrong = otherRevision(text, method, this.#recording);
    if (wrong !== undefined) return this.#refuse(id, wrong);
    if (this.#running.size >= MAX_RUNNING)
      return this.#refuse(id, { code: CODE.internalError, message: 'Too many requests are running' });
    const params = paramsIn(text);
    const scene = this.#sceneFinder.find(method, params);
    if (scene !== undefined)
      return void this.#answer(text, id, scene).catch((error: unknown) => this.#failed(error, id));
    if (method === 'ping') return void this.#tell(`{"jsonrpc":"2.0","id":${id},"result":{}}`, id, true);
    const greeting = madeUpGreeting(conversation, this.#recording, method, text);
    if (greeting !== undefined) {
      onNote?.(`The trace has no ${method}. The answer is derived from the rest of the trace`);
      return void this.#tell(`{"jsonrpc":"2.0","id":${id},"result":${greeting}}`, id, true);
    }
    // A handshake has no similar request.
    const known = GREETINGS.has(method) ? scenes.filter((each) => each.method !== method) : scenes;
    const unknown = nearestTo(known, method, params, (n) => plainParams(conversation.text(n)), elsewhere);
    onNote?.(unknown.message);
    return this.#refuse(id, unknown);
  }

  #notification(text: string, { method = '' }: Facts): void {
    if (method === 'notifications/cancelled') {
      const { params } = JSON.parse(text) as { params?: { requestId?: unknown } };
      const run = this.#running.get(JSON.stringify(params?.requestId));
      if (run !== undefined) run.cancelled = true;
      return;
    }
    const scene = this.#sceneFinder.find(method, paramsIn(text));
    if (scene === undefined) return;
    const run: Run = { cancelled: false };
    this.#play([...scene.before, ...scene.after], undefined, undefined, run).catch((error: unknown) =>
      this.#failed(error, undefined),
    );
  }

  #receive(text: string): void {
    const facts = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    const { message, id } = facts;
    if (message === 'batch') for (const each of elementTexts(text) ?? []) this.#receive(each);
    else if (message === 'request') this.#request(text, facts);
    else if (message === 'notification') this.#notification(text, facts);
    else if (message === 'response') this.#openQuestions.answered(id ?? 'null');
    else this.#refuse('null', { code: CODE.invalidRequest, message: 'This is not a JSON-RPC message' });
  }
}

/** The next file of a recorder that found this one taken: `x-2.mcptrace` after `x.mcptrace`. */
function nextFile(file: string): string | undefined {
  const ending = extname(file);
  const stem = file.slice(0, file.length - ending.length);
  const counted = /^(.*)-(\d{1,6})$/.exec(stem);
  const names = [`${stem}-2`, ...(counted === null ? [] : [`${counted[1]}-${Number(counted[2]) + 1}`])];
  return names.map((name) => name + ending).find((name) => existsSync(name));
}

/**
 * Says where the rest of a session is if its client only probed the revision of the server: such a client ends the process and
 * starts another one, which has its own trace.
 */
function whereTheRestIs(file: string | undefined): string {
  const next = file === undefined ? undefined : nextFile(file);
  const where = next === undefined ? 'the trace that was recorded right after it' : basename(next);
  return `The client started the server a second time for everything else: look at ${where}`;
}

/** Finds the recorded scene for a message of a client. Repeated messages get their scenes in order, then the last one again. */
interface SceneFinder {
  find(method: string, params: string): Scene | undefined;
}

/** Methods whose params may differ from the recorded ones. */
const ANY_PARAMS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

function withoutResponses(params: string): string {
  const { inputResponses: _, ...rest } = JSON.parse(params) as { inputResponses?: unknown };
  return JSON.stringify(rest);
}

function createSceneFinder(scenes: readonly Scene[]): SceneFinder {
  const byMethod = grouped(scenes);
  const played = new Set<number>();

  const next = (list: readonly Scene[]): Scene | undefined => {
    const scene = list.find(({ n }) => !played.has(n)) ?? list.at(-1);
    if (scene !== undefined) played.add(scene.n);
    return scene;
  };

  return {
    find(method, params) {
      const own = byMethod.get(method) ?? [];
      // If the client sent several handshake requests, the unanswered ones failed.
      if (ANY_PARAMS.has(method)) return next(own.filter(({ answer }) => answer !== undefined));
      const same = own.filter((scene) => saysTheSame(scene.params, params));
      if (same.length > 0 || !params.includes('"inputResponses"')) return next(same);
      // The questions were the same, but this client may answer them differently (2026-07-28).
      const asked = withoutResponses(params);
      return next(
        own.filter(
          (scene) => scene.params.includes('"inputResponses"') && saysTheSame(withoutResponses(scene.params), asked),
        ),
      );
    },
  };
}

function grouped(scenes: readonly Scene[]): Map<string, Scene[]> {
  const groups = new Map<string, Scene[]>();
  for (const scene of scenes) {
    const group = groups.get(scene.method);
    if (group === undefined) groups.set(scene.method, [scene]);
    else group.push(scene);
  }
  return groups;
}
