import { isObject } from '@tenon/values/is-object';

// The host of an app (MCP Apps 2026-01-26): handles the messages of the app's page, and sends it messages. Independent of frames.

/** A JSON-RPC message. */
export type Message = { readonly jsonrpc: '2.0' } & Record<string, unknown>;

/** An action of a page that is shown to people. */
export interface AppNote {
  readonly what: 'message' | 'context' | 'link' | 'log' | 'call' | 'refused';
  readonly text: string;
}

/** The environment of a page, such as its theme and size (`hostContext`). */
export type HostContext = Readonly<Record<string, unknown>>;

export interface AppHostOptions {
  /** The entry of the tool, as the server sent it. */
  readonly tool: Readonly<Record<string, unknown>>;
  /** The arguments of the call shown. */
  readonly input: unknown;
  /** Its result. */
  readonly result: unknown;
  /** The initial host context, without the tool. */
  readonly context: HostContext;
  /** May pages call this tool? */
  readonly mayCall: (tool: string) => boolean;
  /** Sends a request to the server of the app. Resolves with its result, and rejects with an `AppError` for the page. */
  readonly ask: (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Sends a message to the page. */
  readonly post: (message: Message) => void;
  readonly onNote: (note: AppNote) => void;
  /** Called with the height that the page requests, in pixels. */
  readonly onHeight: (height: number) => void;
  /** Called when the page is initialized. */
  readonly onReady: () => void;
}

/** An error for a page. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The host of one app. */
export interface AppHost {
  /** Handles a message of the page. */
  take(message: Message): void;
  /** Changes the host context. The page is notified of the changes once it is initialized. */
  tell(changed: HostContext): void;
  /** Tells the page that it is about to go, and resolves when it has answered, or after a while. */
  end(): Promise<void>;
}

const APPS_VERSION = '2026-01-26';
const REFUSED = -32_000;
const INVALID = -32_602;
const UNKNOWN = -32_601;
const FAILED = -32_603;
/** The longest text of a note, in characters. */
const MAX_NOTE = 2_000;
/** The maximum height of a page, in pixels. */
export const MAX_HEIGHT = 4_000;
/** How many requests of a page may run at once. */
const MAX_RUNNING = 20;
const END_MS = 1_000;

/** Methods that are forwarded to the server unchanged. */
const PASSED_ON = new Set(['resources/read', 'resources/list', 'resources/templates/list', 'prompts/list']);

/** Creates the host of an app. Nothing is sent before the page is initialized. */
export function createAppHost(options: AppHostOptions): AppHost {
  const { post, onNote, ask } = options;
  let running = 0;
  let isReady = false;
  let ended: (() => void) | undefined;
  let { context } = options;
  /** The context that the page was last sent. */
  let known = context;

  function note(what: AppNote['what'], value: unknown): void {
    onNote({ what, text: textOf(value).slice(0, MAX_NOTE) });
  }

  function tellChanges(): void {
    const before = known;
    known = context;
    const changed = Object.entries(context).filter(([name, value]) => textOf(value) !== textOf(before[name]));
    if (changed.length > 0)
      post({
        jsonrpc: '2.0',
        method: 'ui/notifications/host-context-changed',
        params: Object.fromEntries(changed),
      });
  }

  function initialize(): unknown {
    known = context;
    return {
      protocolVersion: APPS_VERSION,
      hostInfo: { name: 'tenon-inspector', version: '0.1.0' },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
      hostContext: { ...context, toolInfo: { tool: options.tool } },
    };
  }

  /** Calls a tool for the page. Only tools that are visible to apps can be called. */
  async function callTool(params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { name } = params;
    if (typeof name !== 'string') throw new AppError(INVALID, 'A tool call needs a name');
    if (!options.mayCall(name)) {
      note('refused', `tools/call ${name}`);
      throw new AppError(REFUSED, `Apps of this server may not call '${name}'`);
    }
    note('call', name);
    return ask('tools/call', { name, arguments: isObject(params['arguments']) ? params['arguments'] : {} });
  }

  async function answerTo(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (method === 'tools/call') return callTool(params);
    if (PASSED_ON.has(method)) return ask(method, params);
    switch (method) {
      case 'ui/initialize':
        return initialize();
      case 'ping':
        return {};
      case 'ui/message':
        note('message', params['content']);
        return {};
      case 'ui/update-model-context':
        note('context', params['structuredContent'] ?? params['content']);
        return {};
      case 'ui/open-link':
        // The user decides whether to open it.
        note('link', params['url']);
        return {};
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      default:
        throw new AppError(UNKNOWN, `The inspector does not know ${method.slice(0, 100)}`);
    }
  }

  async function answer(id: unknown, method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      if (running >= MAX_RUNNING) throw new AppError(REFUSED, 'Too many requests run at once');
      running++;
      try {
        post({ jsonrpc: '2.0', id, result: await answerTo(method, params) });
      } finally {
        running--;
      }
    } catch (error) {
      const code = error instanceof AppError ? error.code : FAILED;
      const text = error instanceof Error ? error.message : 'The request failed';
      post({ jsonrpc: '2.0', id, error: { code, message: text } });
    }
  }

  function hear(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'ui/notifications/initialized' && !isReady) {
      isReady = true;
      post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: options.input ?? {} } });
      post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: options.result });
      tellChanges();
      options.onReady();
    } else if (method === 'ui/notifications/size-changed') {
      const { height } = params;
      if (typeof height === 'number' && height > 0) options.onHeight(Math.min(Math.ceil(height), MAX_HEIGHT));
    } else if (method === 'notifications/message') note('log', params['data']);
  }

  return {
    take({ id, method, params }) {
      if (typeof method !== 'string') return ended?.();
      const given = isObject(params) ? params : {};
      if (id === undefined) hear(method, given);
      else void answer(id, method, given);
    },
    tell(changed) {
      context = { ...context, ...changed };
      if (isReady) tellChanges();
    },
    async end() {
      if (!isReady) return;
      post({ jsonrpc: '2.0', id: 'end', method: 'ui/resource-teardown', params: {} });
      await new Promise<void>((resolve) => {
        ended = resolve;
        setTimeout(resolve, END_MS);
      });
    },
  };
}

/** A value of a page as text. It is a structured clone, so JSON may not be able to express it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return String(value);
  }
}
