import { randomUUID } from 'node:crypto';
import type { HostListener } from './events.ts';
import type { Desk } from './pending/desk.ts';
import type { ChangedItem } from './pending/item.ts';
import type { Recorder } from './record.ts';
import { differenceOf, pinOf } from './registry/pin.ts';
import type { ChangedTool, Registry } from './registry/registry.ts';
import { messageOf } from './values/message-of.ts';

export interface ChangedToolsOptions {
  readonly desk: Desk;
  readonly registry: Registry;
  readonly recorder: Recorder;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
}

/** Asks the person about tools that are others than were approved. */
export interface ChangedTools {
  /**
   * Asks about these tools of a server, a few at a time: all that are not what was approved now. Questions about what the server does not
   * have any more are withdrawn. A tool comes back when the person says so. What was refused is not asked again until it is something else.
   */
  ask(server: string, changed: readonly ChangedTool[]): void;
}

/** Most tools of one server that a person is asked about at once. */
const MOST_ASKED = 20;
/** Most refusals that are remembered of one server. */
const MOST_REFUSED = 20_000;

/** What is asked about one server, and what waits for its turn. */
interface Inquiry {
  waiting: ChangedTool[];
  readonly asked: Map<string, AbortController>;
  /** What was refused while this host runs. */
  readonly refused: Set<string>;
}

/** Exactly this form of the tool. */
const keyOf = ({ tool: { entry } }: ChangedTool): string => JSON.stringify([entry.name, pinOf(entry)]);

const itemOf = ({ tool, before }: ChangedTool, more: number): ChangedItem => ({
  kind: 'changed',
  id: randomUUID(),
  at: Date.now(),
  server: tool.server,
  tool: tool.name,
  before,
  after: tool.entry,
  difference: differenceOf(before, tool.entry),
  warnings: [
    'The server changed this tool after it was approved.',
    ...(more === 0
      ? []
      : [`${more.toLocaleString('en-US')} more of its tools changed: you are asked about them after these.`]),
  ],
});

export const createChangedTools = ({ desk, registry, recorder, closing, tell }: ChangedToolsOptions): ChangedTools => {
  const inquiries = new Map<string, Inquiry>();

  const inquiryOf = (server: string): Inquiry => {
    const inquiry = inquiries.get(server) ?? { waiting: [], asked: new Map(), refused: new Set() };
    inquiries.set(server, inquiry);
    return inquiry;
  };

  const remember = ({ refused }: Inquiry, changed: ChangedTool): void => {
    refused.add(keyOf(changed));
    for (const oldest of refused) {
      if (refused.size <= MOST_REFUSED) break;
      refused.delete(oldest);
    }
  };

  /** Asks about one tool, and does what the person says. */
  const settle = async (inquiry: Inquiry, changed: ChangedTool, more: number, signal: AbortSignal): Promise<void> => {
    if (await registry.isRefused(changed)) return remember(inquiry, changed);
    const { server, entry } = changed.tool;
    const decision = await desk.decide(itemOf(changed, more), { signal });
    const { allow, scope, automatic, reason = 'nobody could decide' } = decision;
    if (automatic === true) throw new Error(reason);
    if (!allow) remember(inquiry, changed);
    const why = `${allow ? 'allowed' : 'denied'} by the person`;
    await recorder.decided({ act: 'changed', server, what: entry.name, who: 'user', allow, why, decision });
    if (!allow && scope === 'always') await registry.refuse(changed);
    if (allow && (await registry.approve(changed))) tell({ kind: 'tools' });
  };

  const begin = async (server: string, inquiry: Inquiry, changed: ChangedTool, more: number): Promise<void> => {
    const withdrawn = new AbortController();
    const key = keyOf(changed);
    inquiry.asked.set(key, withdrawn);
    const signal = AbortSignal.any([closing, withdrawn.signal]);
    try {
      await settle(inquiry, changed, more, signal);
    } catch (error) {
      // Otherwise the host closes, or the tool is something else meanwhile.
      if (!signal.aborted) {
        const reason = messageOf(error);
        const message = `Nobody could be asked about the changed tool ${changed.tool.name}, which stays away: ${reason}. Restart the server to be asked again`;
        tell({ kind: 'problem', server, message });
      }
    }
    if (inquiry.asked.get(key) === withdrawn) inquiry.asked.delete(key);
    fill(server, inquiry);
  };

  const fill = (server: string, inquiry: Inquiry): void => {
    if (closing.aborted) return;
    const batch = inquiry.waiting.splice(0, MOST_ASKED - inquiry.asked.size);
    for (const changed of batch) void begin(server, inquiry, changed, inquiry.waiting.length);
  };

  return {
    ask(server, all) {
      const inquiry = inquiryOf(server);
      const { asked, refused } = inquiry;
      const open = new Map(all.map((changed) => [keyOf(changed), changed] as const));
      for (const [key, withdrawn] of asked) {
        if (open.has(key)) continue;
        withdrawn.abort();
        asked.delete(key);
      }
      inquiry.waiting = [...open].flatMap(([key, changed]) => (asked.has(key) || refused.has(key) ? [] : [changed]));
      fill(server, inquiry);
    },
  };
};
