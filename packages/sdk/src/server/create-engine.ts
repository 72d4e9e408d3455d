import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { SERVER } from '../protocol/contract.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { MessageText } from '../protocol/message-text.ts';
import type { RequestContext, Principal } from '../protocol/request-context.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { withLimits } from '../protocol/limits.ts';
import { safeLogger, type Logger, silent } from '../protocol/log.ts';
import { andThen, type Maybe } from '../protocol/maybe.ts';
import { methodOf, type Needs } from '../protocol/methods.ts';
import type { ListMethod } from '../protocol/results.ts';
import { byEra, featuresOf, isRevision, type Revision, REVISIONS } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { encodeImplementation } from '../wire/encode-params.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import { holdProcess } from '../protocol/timers.ts';
import { encodeServerCapabilities } from '../wire/capabilities.ts';
import { interimResult } from '../wire/encode.ts';
import { Catalog } from './catalog.ts';
import type { ChangingList } from './changes.ts';
import type { Internals, Server } from './define.ts';
import type { Engine, EngineOptions, Method, RawResult } from './engine.ts';
import { createFinisher, type Finisher } from './result-finisher.ts';
import { createListCache, type ListCache } from './list-cache.ts';
import { callTool } from './methods/tools-call.ts';
import { offersTasks } from './tasks/offers-tasks.ts';
import { createLazySealer } from '../store/lazy-sealer.ts';
import type { Viewer, Visibility } from './visibility.ts';

/** A function that many servers never use: its code is loaded with the first call. */
function lazy<Args extends unknown[], T>(load: () => Promise<(...args: Args) => Maybe<T>>) {
  let loaded: ((...args: Args) => Maybe<T>) | undefined;
  return (...args: Args): Maybe<T> =>
    loaded === undefined ? load().then((ready) => (loaded = ready)(...args)) : loaded(...args);
}

const callOwnMethod = lazy(async () => (await import('./methods/own-method.ts')).callOwnMethod);

/** Loaded with the first call of a server that has middleware. */
const answerThrough = lazy(async () => (await import('./through-middleware.ts')).answerThrough);

const findResource = lazy(async () => (await import('./find-resource.ts')).findResource);

function answerList(method: ListMethod): Method {
  return lazy(async () => (await import('./methods/lists.ts')).listOf(method));
}

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', answerList('tools/list')],
  ['tools/call', callTool],
  ['resources/list', answerList('resources/list')],
  ['resources/templates/list', answerList('resources/templates/list')],
  ['resources/read', lazy(async () => (await import('./methods/resources-read.ts')).readResource)],
  ['prompts/list', answerList('prompts/list')],
  ['prompts/get', lazy(async () => (await import('./methods/prompts-get.ts')).getPrompt)],
  ['completion/complete', lazy(async () => (await import('./methods/completion-complete.ts')).completeArgument)],
  [
    'server/discover',
    (engine, _, request) => ({ result: discovered(engine, request.revision), cache: engine.of.cache }),
  ],
  ['tasks/get', lazy(async () => (await import('./tasks/task-methods.ts')).getTask)],
  ['tasks/cancel', lazy(async () => (await import('./tasks/task-methods.ts')).cancelTask)],
  ['tasks/update', lazy(async () => (await import('./tasks/task-methods.ts')).updateTask)],
  ['tasks/result', lazy(async () => (await import('./tasks/task-methods.ts')).taskResult)],
  ['tasks/list', lazy(async () => (await import('./tasks/task-methods.ts')).listTasks)],
]);

/** Makes the engine of a server. */
export function createEngine(app: Server, options: EngineOptions = {}): Engine {
  const of = app[SERVER];
  const log = options.log === undefined ? silent : safeLogger(options.log);
  const { lists, finishers } = encodedOf(of, log);
  const revisions = readRevisions(options.revisions);
  const engine: Engine = {
    of,
    catalog: new Catalog(of, log),
    sealer: createLazySealer(options.keys ?? keysOfEnvironment(), of.info.name, log),
    store: options.store,
    limits: withLimits(options.limits),
    log,
    revisions,
    supported: byEra(revisions),
    pageSize: of.pageSize,
    lists,
    viewer: ({ principal }) =>
      of.visibility === undefined && principal === undefined
        ? ANONYMOUS_VIEWER
        : { principal, visibilityClass: classOf(of.visibility, principal) },
    capabilities: () => capabilitiesOf(engine),
    has(method, revision) {
      const row = methodOf(revision, method);
      if (row !== undefined) return offers(engine, row.needs);
      return of.methods.has(method) && (!of.extensionMethods.has(method) || featuresOf(revision).extensions);
    },
    answer: (method, params, request, own) =>
      answer(engine, finishers.get(request.revision)!, method, params, request, own),
    finish: (result, revision) => finishers.get(revision)!.result(result),
    hasResource: (uri, caller) =>
      andThen(findResource(engine.catalog, uri, engine.viewer(caller)), (found) => found !== undefined),
    subscribe: (listener) => of.changes.subscribe(listener),
  };
  if (options.store !== undefined && offersTasks(of)) adoptTasksSoon(engine);
  return engine;
}

/** Texts that are encoded once for a server, however many peers it serves. */
interface EncodedTexts {
  readonly lists: ListCache;
  readonly finishers: ReadonlyMap<Revision, Finisher>;
}

const ENCODED = new WeakMap<Internals, EncodedTexts>();

function encodedOf(of: Internals, log: Logger): EncodedTexts {
  let encoded = ENCODED.get(of);
  if (encoded === undefined) {
    encoded = {
      lists: createListCache(),
      finishers: new Map(REVISIONS.map((revision) => [revision, createFinisher(revision, of.info)])),
    };
    ENCODED.set(of, encoded);
    prepareSchemas(of, log);
  }
  return encoded;
}

function classOf(visibility: Visibility | undefined, principal: Principal | undefined): string {
  const found: unknown = visibility === undefined ? '' : visibility(principal);
  if (typeof found !== 'string') throw new TypeError('`visibility` must return a string');
  return found;
}

/** The revisions to support, newest first, in whatever order they were given. */
function readRevisions(wanted: readonly Revision[] | undefined): readonly Revision[] {
  if (wanted === undefined) return REVISIONS;
  const unknown = wanted.find((revision) => !isRevision(revision));
  if (unknown !== undefined || wanted.length === 0) {
    throw new TypeError(
      `\`revisions\` needs at least one of ${REVISIONS.join(', ')}${unknown === undefined ? '' : `; unknown: '${String(unknown)}'`}`,
    );
  }
  return REVISIONS.filter((revision) => wanted.includes(revision));
}

/** Long enough for the first responses to be sent before more code is loaded. */
const PREPARE_AFTER_MS = 50;

/** Runs something a moment later, because it is not urgent. */
function runSoon(act: () => void): void {
  try {
    holdProcess(setTimeout(act, PREPARE_AFTER_MS), false);
  } catch {
    // Workers may not set timers before the first request. The first call that needs it does it then.
  }
}

/** Loads the validator for the plain JSON Schemas of a server. */
function prepareSchemas(of: Internals, log: Logger): void {
  runSoon(() => void import('./prepare-schemas.ts').then(({ reportUnusable }) => reportUnusable(of, log)));
}

/** Schedules the adoption of tasks whose process has ended. */
function adoptTasksSoon(engine: Engine): void {
  runSoon(() => void import('./tasks/tasks.ts').then(({ adoptTasks }) => adoptTasks(engine)));
}

const ANONYMOUS_VIEWER: Viewer = { principal: undefined, visibilityClass: '' };

function answer(
  engine: Engine,
  finish: Finisher,
  method: string,
  params: JsonObject,
  request: RequestContext,
  own: (() => Maybe<RawResult>) | undefined,
): Maybe<MessageText> {
  const raw =
    engine.of.middleware.length > 0
      ? answerThrough(engine, method, params, request, own ?? (() => callMethod(engine, method, params, request)))
      : own === undefined
        ? callMethod(engine, method, params, request)
        : own();
  return andThen(raw, (answered) => textOf(finish, answered as RawResult));
}

function callMethod(engine: Engine, method: string, params: JsonObject, request: RequestContext): Maybe<RawResult> {
  const handler = METHODS.get(method) ?? (engine.of.methods.has(method) ? callOwnMethod : undefined);
  if (handler === undefined || !engine.has(method, request.revision)) throw unknownMethod(method);
  return handler(engine, params, request, method);
}

function textOf(finish: Finisher, raw: RawResult): MessageText {
  if ('task' in raw) return JSON.stringify(interimResult('task', raw.task, finish.serverInfo));
  if ('requests' in raw) {
    const members = { inputRequests: raw.requests, requestState: raw.state };
    return JSON.stringify(interimResult('input_required', members, finish.serverInfo));
  }
  return 'text' in raw ? finish.text(raw.text, raw.cache) : finish.result(raw.result, raw.cache);
}

/** The error for a method that this server does not have. */
function unknownMethod(method: string): ProtocolError {
  return new ProtocolError(CODE.methodNotFound, `Method not found: ${shown(method)}`);
}

function capabilitiesOf({ of, catalog }: Engine): ServerCapabilities {
  return {
    ...of.capabilities,
    tools: offered(of, 'tools') ? { listChanged: true } : undefined,
    resources: offered(of, 'resources') ? { subscribe: true, listChanged: true } : undefined,
    prompts: offered(of, 'prompts') ? { listChanged: true } : undefined,
    completions: catalog.completes() ? {} : undefined,
    logging: {},
    ...(offersTasks(of) ? withTasks(of) : undefined),
  };
}

/** The capability of 2025-11-25, and the extension of 2026-07-28: the revision decides which of them is sent. */
function withTasks({ capabilities }: Internals): Pick<ServerCapabilities, 'tasks' | 'extensions'> {
  return {
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
    extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} },
  };
}

function offers({ of, catalog }: Engine, needs: Needs | undefined): boolean {
  if (needs === undefined || needs === 'logging') return true;
  if (needs === 'completions') return catalog.completes();
  if (needs === 'tasks') return offersTasks(of);
  return offered(of, needs === 'resources.subscribe' ? 'resources' : needs);
}

/** A capability that was offered once stays offered, because clients know about it. */
function offered(of: Internals, kind: ChangingList): boolean {
  return of.offers[kind] || of[kind].generation > 0;
}

/** The capabilities, encoded for a revision. Only authenticated clients can list tasks: for others it is unknown which tasks are theirs. */
export function encodedCapabilities(engine: Engine, revision: Revision, principal?: Principal): JsonObject {
  const capabilities = engine.capabilities();
  const { tasks } = capabilities;
  const offered =
    tasks === undefined || principal === undefined ? capabilities : { ...capabilities, tasks: { list: {}, ...tasks } };
  return encodeServerCapabilities(offered, revision);
}

/** The server's `Implementation`, encoded for a revision. */
export function encodedInfo(engine: Engine, revision: Revision): JsonObject {
  return encodeImplementation(engine.of.info, revision);
}

function discovered(engine: Engine, revision: Revision): JsonObject {
  return {
    supportedVersions: engine.supported.modern,
    capabilities: encodedCapabilities(engine, revision),
    instructions: engine.of.instructions,
  };
}

function keysOfEnvironment(): string[] | undefined {
  const given = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.['TENON_KEYS'];
  const keys = given
    ?.split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  return keys?.length === 0 ? undefined : keys;
}
