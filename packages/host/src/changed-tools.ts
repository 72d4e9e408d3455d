import { randomUUID } from 'node:crypto';
import type { HostListener } from './events.ts';
import type { Desk } from './pending/desk.ts';
import type { Recorder } from './record.ts';
import { differenceOf } from './registry/pin.ts';
import type { ChangedTool, Registry } from './registry/registry.ts';

export interface ChangedToolsOptions {
  readonly desk: Desk;
  readonly registry: Registry;
  readonly recorder: Recorder;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
}

/** Asks the person about tools that are others than were approved. */
export interface ChangedTools {
  /** Asks. The tool comes back when the person says so. Never rejects. */
  ask(changed: ChangedTool): Promise<void>;
}

export const createChangedTools = ({ desk, registry, recorder, closing, tell }: ChangedToolsOptions): ChangedTools => {
  const asked = new Set<string>();
  return {
    async ask(changed) {
      const { tool, before } = changed;
      const key = JSON.stringify([tool.server, tool.entry]);
      if (asked.has(key)) return;
      asked.add(key);
      try {
        const decision = await desk.decide(
          {
            kind: 'changed',
            id: randomUUID(),
            at: Date.now(),
            server: tool.server,
            tool: tool.name,
            before,
            after: tool.entry,
            difference: differenceOf(before, tool.entry),
            warnings: ['The server changed this tool after it was approved.'],
          },
          { signal: closing },
        );
        const { allow } = decision;
        const why = `${allow ? 'allowed' : 'denied'} by the person`;
        const deed = {
          act: 'changed',
          server: tool.server,
          what: tool.entry.name,
          who: 'user',
          allow,
          why,
          asked: true,
        } as const;
        recorder.decided(deed);
        await recorder.write(deed);
        if (allow && (await registry.approve(changed))) tell({ kind: 'tools' });
      } catch {
        // The host closes; it is asked again the next time.
      } finally {
        asked.delete(key);
      }
    },
  };
};
