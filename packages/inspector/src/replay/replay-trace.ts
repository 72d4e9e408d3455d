import type { ClientAuth } from 'tenon/auth';
import type { Command } from 'tenon/node';
import { createRecorder, type Recorder } from '../record/recorder.ts';
import { createRedactor } from '../record/redact.ts';
import { saysJsonRpc } from '../record/says-json-rpc.ts';
import { hideEnvironment, shownCommand } from '../record/shown-command.ts';
import { shownUrl } from '../record/headers.ts';
import type { TraceSink } from '../trace/node/trace-writer.ts';
import { type Conversation, conversationOf, type Recorded, revisionOf } from './conversation.ts';
import { HttpWire } from './http-wire.ts';
import type { ReplayRow } from './request-log.ts';
import type { ListedTool } from './message-fields.ts';
import { replay, type ReplayOptions } from './replay.ts';
import { stdioWire } from './stdio-wire.ts';
import type { Wire } from './wire.ts';

/** The server to replay to. */
export type ReplayTarget =
  | {
      /** How it is started. */
      readonly command: Command;
    }
  | {
      /** Its URL, http or https. */
      readonly url: string;
      /** Header fields of each request. */
      readonly headers?: Readonly<Record<string, string>>;
      /** The source of its credentials. */
      readonly auth?: ClientAuth;
    };

/** How a trace is replayed. */
export interface ReplayTraceOptions extends ReplayOptions {
  /** The session of the trace. Required if it has several. */
  readonly session?: string;
  /** Records the traffic of the replay. */
  readonly sink?: TraceSink;
}

/** The tools that the server listed in a conversation. */
function toolsIn(conversation: Conversation): ListedTool[] {
  return conversation.messages.flatMap(({ n, message, method, outcome }) => {
    if (message !== 'response' || method !== 'tools/list' || outcome !== 'ok') return [];
    const { result } = JSON.parse(conversation.text(n)) as { result?: { tools?: unknown } | null };
    return Array.isArray(result?.tools) ? result.tools.filter((tool) => typeof tool === 'object' && tool !== null) : [];
  });
}

function recorderFor(name: string, target: ReplayTarget, sink: TraceSink): Recorder {
  const redactor = createRedactor();
  if ('url' in target) {
    for (const value of Object.values(target.headers ?? {})) redactor.hide(value.replace(/^(?:bearer|basic)\s+/i, ''));
    return createRecorder(
      sink,
      name,
      { name, transport: 'http', target: shownUrl(target.url), recorder: 'client' },
      redactor,
    );
  }
  const { command, args = [], env = {} } = target.command;
  hideEnvironment(env, redactor);
  const shown = shownCommand(command, args, redactor);
  return createRecorder(sink, name, { name, transport: 'stdio', target: shown, recorder: 'client' }, redactor);
}

/** The same wire, with a recorder. */
function recordedWire(wire: Wire, recorder: Recorder | undefined): Wire {
  if (recorder === undefined) return wire;
  return {
    ended: wire.ended,
    unreached: () => wire.unreached(),
    close: () => wire.close(),
    send(text) {
      recorder.onTrace({ kind: 'sent', text });
      return wire.send(text);
    },
    onText: (listener) =>
      wire.onText((text) => {
        recorder.onTrace({ kind: saysJsonRpc(text) ? 'received' : 'junk', text });
        listener(text);
      }),
  };
}

/** The implementation; lazily.ts exports it. */
export async function replayTrace(
  trace: Recorded,
  target: ReplayTarget,
  options: ReplayTraceOptions = {},
): Promise<ReplayRow[]> {
  const conversation = conversationOf(trace, options.session);
  const name = conversation.about?.name ?? conversation.session;
  const recorder = options.sink === undefined ? undefined : recorderFor(name, target, options.sink);
  const wire =
    'url' in target
      ? new HttpWire({ ...target, revision: revisionOf(conversation), tools: toolsIn(conversation) })
      : stdioWire(target.command, recorder);
  try {
    return await replay(conversation, recordedWire(wire, recorder), options);
  } finally {
    await wire.close();
    recorder?.flush();
  }
}
