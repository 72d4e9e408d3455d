import { randomUUID } from 'node:crypto';
import type { HostListener } from '../events.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { ChangedItem, ChangedServerItem } from '../pending/item.ts';
import type { Recorder } from '../recorder.ts';
import { pinOf, pinOfServer, serverDifference, toolDifference } from '../registry/pin.ts';
import type { ChangedServer, ChangedTool, Registry } from '../registry/registry.ts';
import { messageOf } from '../values/message-of.ts';

export interface ChangesOptions {
  readonly queue: DecisionQueue;
  readonly registry: Registry;
  readonly recorder: Recorder;
  readonly closing: AbortSignal;
  readonly emit: HostListener;
  /** Emits the current view of a server. */
  emitServer(server: string): void;
}

/** Asks the person about tools and server descriptions that differ from what was approved. */
export interface Changes {
  /**
   * Asks about everything of a server that differs from what was approved, a few items at a time. Questions about tools that no longer
   * exist are withdrawn. An approved change takes effect. A refused one is not asked about again until it changes.
   */
  ask(server: string): void;
}

/** Changes of one server that a person is asked about at a time. */
const MAX_ASKED = 20;
/** Refusals that are remembered for each server. */
const MAX_REFUSED = 20_000;

/** A difference from what was approved. */
interface Change {
  /** Identifies exactly this change. */
  readonly key: string;
  /** For the audit log: the name of the tool, or the alias of the server. */
  readonly target: string;
  /** How problems refer to it. */
  readonly title: string;
  /** `more`: how many further changes the person will be asked about. */
  item(more: number): ChangedItem | ChangedServerItem;
  isRefused(): Promise<boolean>;
  refuse(): Promise<void>;
  approve(): Promise<void>;
}

/** The changes of one server: waiting for their turn, being asked about, and refused. */
interface Inquiry {
  waiting: Change[];
  readonly asked: Map<string, AbortController>;
  /** Keys of the changes that were refused while this host runs. */
  readonly refused: Set<string>;
}

function warningsOf(what: string, before: unknown, more: number): string[] {
  return [
    before === undefined
      ? `The approved version can no longer be read, so ${what} is shown in full: what changed is unknown.`
      : `The server changed ${what} after it was approved.`,
    ...(more === 0
      ? []
      : [`${more.toLocaleString('en-US')} more of its tools changed: you will be asked about them next.`]),
  ];
}

function changeOfTool(changed: ChangedTool, { registry, emit }: ChangesOptions): Change {
  const { tool, before } = changed;
  const { entry } = tool;
  return {
    key: JSON.stringify([entry.name, pinOf(entry)]),
    target: entry.name,
    title: `the changed tool ${tool.name}, which stays unavailable`,
    item: (more) => ({
      kind: 'changed',
      id: randomUUID(),
      at: Date.now(),
      server: tool.server,
      tool: tool.name,
      before,
      after: entry,
      difference: toolDifference(before, entry),
      warnings: warningsOf('this tool', before, more),
    }),
    isRefused: () => registry.isRefused(changed),
    refuse: () => registry.refuse(changed),
    async approve() {
      if (await registry.approve(changed)) emit({ kind: 'tools' });
    },
  };
}

function changeOfServer(changed: ChangedServer, { registry, emitServer }: ChangesOptions): Change {
  const { server, before, after } = changed;
  return {
    key: JSON.stringify([pinOfServer(after)]),
    target: server,
    title: 'its changed name or instructions, which are withheld',
    item: (more) => ({
      kind: 'changed-server',
      id: randomUUID(),
      at: Date.now(),
      server,
      before,
      after,
      difference: serverDifference(before, after),
      warnings: warningsOf('its description', before, more),
    }),
    isRefused: () => registry.isServerRefused(changed),
    refuse: () => registry.refuseServer(changed),
    async approve() {
      if (await registry.approveServer(changed)) emitServer(server);
    },
  };
}

export function createChanges(options: ChangesOptions): Changes {
  const { queue, registry, recorder, closing, emit } = options;
  const inquiries = new Map<string, Inquiry>();

  const inquiryOf = (server: string): Inquiry => {
    const inquiry = inquiries.get(server) ?? { waiting: [], asked: new Map(), refused: new Set() };
    inquiries.set(server, inquiry);
    return inquiry;
  };

  const remember = ({ refused }: Inquiry, { key }: Change): void => {
    refused.add(key);
    for (const oldest of refused) {
      if (refused.size <= MAX_REFUSED) break;
      refused.delete(oldest);
    }
  };

  /** Asks about one change, and applies the decision. */
  const settle = async (
    server: string,
    inquiry: Inquiry,
    change: Change,
    more: number,
    signal: AbortSignal,
  ): Promise<void> => {
    if (await change.isRefused()) return remember(inquiry, change);
    const decision = await queue.decide(change.item(more), { signal });
    const { allow, scope, automatic, reason = 'no decision could be made' } = decision;
    if (automatic === true) throw new Error(reason);
    if (!allow) remember(inquiry, change);
    const why = `${allow ? 'allowed' : 'denied'} by the person`;
    await recorder.recordDecision({
      act: 'changed',
      server,
      target: change.target,
      requestedBy: 'user',
      allow,
      why,
      decision,
    });
    if (allow) await change.approve();
    else if (scope === 'always') await change.refuse();
  };

  const askAbout = async (server: string, inquiry: Inquiry, change: Change, more: number): Promise<void> => {
    const withdrawn = new AbortController();
    inquiry.asked.set(change.key, withdrawn);
    const signal = AbortSignal.any([closing, withdrawn.signal]);
    try {
      await settle(server, inquiry, change, more, signal);
    } catch (error) {
      // If the signal is aborted, the host closes or the change was withdrawn.
      if (!signal.aborted) {
        const message = `Could not ask about ${change.title}: ${messageOf(error)}. Restart the server to be asked again`;
        emit({ kind: 'problem', server, message });
      }
    }
    if (inquiry.asked.get(change.key) === withdrawn) inquiry.asked.delete(change.key);
    askNext(server, inquiry);
  };

  const askNext = (server: string, inquiry: Inquiry): void => {
    if (closing.aborted) return;
    const batch = inquiry.waiting.splice(0, MAX_ASKED - inquiry.asked.size);
    for (const change of batch) void askAbout(server, inquiry, change, inquiry.waiting.length);
  };

  return {
    ask(server) {
      const inquiry = inquiryOf(server);
      const { asked, refused } = inquiry;
      const changed = registry.changedOf(server);
      const all = [
        ...(changed.server === undefined ? [] : [changeOfServer(changed.server, options)]),
        ...changed.tools.map((tool) => changeOfTool(tool, options)),
      ];
      const open = new Map(all.map((change) => [change.key, change] as const));
      for (const [key, withdrawn] of asked) {
        if (open.has(key)) continue;
        withdrawn.abort();
        asked.delete(key);
      }
      inquiry.waiting = [...open].flatMap(([key, change]) => (asked.has(key) || refused.has(key) ? [] : [change]));
      askNext(server, inquiry);
    },
  };
}
