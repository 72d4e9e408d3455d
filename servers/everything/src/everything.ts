import { type CallContext, type LogLevel, type Server, server, tool } from 'tenon';
import { perClient } from '../../shared/per-client.ts';
import { icon } from '../../shared/icon.ts';
import { askingTools } from './asking.ts';
import { documentResources, INSTRUCTIONS } from './documents.ts';
import { dynamicResources } from './dynamic.ts';
import { createFiles, type GzipOptions } from './files.ts';
import { prompts } from './prompts.ts';
import { answeringTools } from './tools.ts';

const ICON = icon(
  '#495057',
  '<path d="M5 5h5v5H5z"/><circle cx="16.5" cy="7.5" r="2.5"/><path d="m7.5 14 3 5h-6zM14 14l5 5m0-5-5 5"/>',
);

export interface EverythingOptions {
  /** Environment variables that `get-env` shows. */
  readonly environment?: readonly string[];
  readonly gzip?: Partial<GzipOptions>;
  /** How long a stage of `simulate-research-query` takes, in milliseconds. */
  readonly stageMs?: number;
  /** The interval of simulated resource updates, in milliseconds. */
  readonly updateMs?: number;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const MAX_URIS = 100;
/** Simulated updates end after this number, because a client that has gone does not stop them. */
const MAX_UPDATES = 120;

/** The state of one client. */
interface ClientState {
  /** Whether simulated logging is on; undefined until it is first started. */
  logs: boolean | undefined;
  updates: ReturnType<typeof setInterval> | undefined;
  readonly uris: Set<string>;
}

/** Makes the server. */
export function createEverything({
  environment = [],
  gzip = {},
  stageMs = 1_000,
  updateMs = 5_000,
}: EverythingOptions = {}): Server {
  const stateOf = perClient<ClientState>(() => ({ logs: undefined, updates: undefined, uris: new Set() }));
  const files = createFiles({ maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000, domains: [], ...gzip });
  const onRead = (uri: string, ctx: Pick<CallContext, 'principal' | 'session'>): void => {
    const uris = stateOf(ctx)?.uris;
    if (uris !== undefined && uris.size < MAX_URIS) uris.add(uri);
  };
  const announce = ({ uris }: ClientState): void => {
    for (const uri of uris) app.changed(uri);
  };
  /** Logs a message of each level; the client gets those of its log level. */
  const logAllLevels = async ({ log }: CallContext): Promise<void> => {
    for (const level of LEVELS)
      await log(level, `${level[0]!.toUpperCase()}${level.slice(1)}-level message`, 'everything');
  };

  const app = server({
    name: 'everything',
    version: '0.1.0',
    icons: [ICON],
    title: 'Everything',
    instructions: INSTRUCTIONS,
    tools: {
      ...answeringTools(environment, stageMs),
      ...askingTools(),
      ...files.tools,
      'toggle-simulated-logging': tool(
        {
          title: 'Toggle Simulated Logging',
          description: 'Logs a message of every level, and again with each further call of trigger-log-messages.',
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        async (_, ctx) => {
          const state = stateOf(ctx);
          if (state !== undefined) state.logs = state.logs !== true;
          if (state?.logs === false) return 'Stopped simulated logging';
          await logAllLevels(ctx);
          return 'Started simulated logging: a message of each level that the client accepts';
        },
      ),
      'trigger-log-messages': tool(
        {
          title: 'Trigger Log Messages',
          description: 'Logs a message of every level, unless simulated logging was stopped.',
          readOnly: true,
          openWorld: false,
        },
        async (_, ctx) => {
          if (stateOf(ctx)?.logs === false) return 'Simulated logging is off';
          await logAllLevels(ctx);
          return 'Logged';
        },
      ),
      'toggle-subscriber-updates': tool(
        {
          title: 'Toggle Subscriber Updates',
          description:
            'Starts or stops sending resource updates every few seconds for the dynamic resources you have read.',
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        (_, ctx) => {
          const state = stateOf(ctx);
          if (state === undefined) return 'This client cannot be identified, so it gets no simulated updates';
          if (state.updates !== undefined) {
            clearInterval(state.updates);
            state.updates = undefined;
            return 'Stopped simulated resource updates';
          }
          let left = MAX_UPDATES;
          const timer = setInterval(() => {
            announce(state);
            if (--left > 0) return;
            clearInterval(timer);
            state.updates = undefined;
          }, updateMs);
          timer.unref();
          state.updates = timer;
          announce(state);
          return `Started simulated resource updates every ${updateMs / 1_000} seconds`;
        },
      ),
    },
    resources: { ...documentResources(), ...dynamicResources(onRead), ...files.resources },
    prompts: prompts(),
  });
  return app;
}
