import { type CallContext, type LogLevel, type Server, server, tool } from 'tenon';
import { perClient } from '../../shared/keeping.ts';
import { askingTools } from './asking.ts';
import { documentResources, INSTRUCTIONS } from './documents.ts';
import { dynamicResources } from './dynamic.ts';
import { createFiles, type GzipOptions } from './files.ts';
import { prompts } from './prompts.ts';
import { answeringTools } from './tools.ts';

export interface EverythingOptions {
  /** Environment variables that `get-env` shows. */
  readonly environment?: readonly string[];
  readonly gzip?: Partial<GzipOptions>;
  /** How long a stage of `simulate-research-query` takes, in milliseconds. */
  readonly stageMs?: number;
  /** How often simulated updates are told, in milliseconds. */
  readonly updateMs?: number;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const MOST_URIS = 100;
/** Simulated updates end by themselves: a client that is gone stops nothing. */
const MOST_UPDATES = 120;

/** What is kept for one client. */
interface Kept {
  logs: boolean;
  updates: ReturnType<typeof setInterval> | undefined;
  readonly uris: Set<string>;
}

/** Makes the server. */
export const createEverything = ({
  environment = [],
  gzip = {},
  stageMs = 1_000,
  updateMs = 5_000,
}: EverythingOptions = {}): Server => {
  const keptFor = perClient<Kept>(() => ({ logs: false, updates: undefined, uris: new Set() }));
  const files = createFiles({ mostBytes: 10 * 1024 * 1024, mostMs: 30_000, domains: [], ...gzip });
  const onRead = (uri: string, ctx: Pick<CallContext, 'principal' | 'session'>): void => {
    const uris = keptFor(ctx)?.uris;
    if (uris !== undefined && uris.size < MOST_URIS) uris.add(uri);
  };
  const announce = ({ uris }: Kept): void => {
    for (const uri of uris) app.changed(uri);
  };
  /** Something of each level, as far as the client wants it. */
  const logSome = async ({ log }: CallContext): Promise<void> => {
    for (const level of LEVELS)
      await log(level, `${level[0]!.toUpperCase()}${level.slice(1)}-level message`, 'everything');
  };

  const app = server({
    name: 'everything',
    version: '0.1.0',
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
          const kept = keptFor(ctx);
          if (kept !== undefined) kept.logs = !kept.logs;
          if (kept?.logs === false) return 'Stopped simulated logging';
          await logSome(ctx);
          return 'Started simulated logging: a message of each level that you want to hear of';
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
          if (keptFor(ctx)?.logs === false) return 'Simulated logging is off';
          await logSome(ctx);
          return 'Logged';
        },
      ),
      'toggle-subscriber-updates': tool(
        {
          title: 'Toggle Subscriber Updates',
          description: 'Tells every few seconds that the dynamic resources you have read have changed, or stops that.',
          readOnly: false,
          destructive: false,
          idempotent: false,
          openWorld: false,
        },
        (_, ctx) => {
          const kept = keptFor(ctx);
          if (kept === undefined) return 'Nothing is kept for this client, so there is nothing to tell it about';
          if (kept.updates !== undefined) {
            clearInterval(kept.updates);
            kept.updates = undefined;
            return 'Stopped simulated resource updates';
          }
          let left = MOST_UPDATES;
          const timer = setInterval(() => {
            announce(kept);
            if (--left > 0) return;
            clearInterval(timer);
            kept.updates = undefined;
          }, updateMs);
          timer.unref();
          kept.updates = timer;
          announce(kept);
          return `Started simulated resource updates every ${updateMs / 1_000} seconds`;
        },
      ),
    },
    resources: { ...documentResources(), ...dynamicResources(onRead), ...files.resources },
    prompts: prompts(),
  });
  return app;
};
