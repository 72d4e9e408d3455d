// The server of the cluster: tools of each kind that outlives a request, and effects that everyone can count.

import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { resource, server, tool } from 'tenon';
import { z } from 'zod';

/** Lines in the file of effects: an action was carried out, or its result was recorded, so that it must never be carried out again. */
export type EffectKind = 'effect' | 'recorded';

/** The resource that clients watch. */
export const WATCHED = 'cluster://state';

const named = z.object({ name: z.string() });
const work = z.object({ name: z.string(), before: z.number().default(0), after: z.number().default(0) });

/** Mistakes that a server could make, for tests of the checks: each breaks one invariant. */
export type Fault =
  | 'forgets'
  | 'forgets-logins'
  | 'repeats'
  | 'mixes-questions'
  | 'mixes-results'
  | 'mixes-progress'
  | 'mixes-users'
  | 'skips-progress';

/** Makes the server. `effectsFile`: where its effects are counted; without it they are not. */
export function createApp(effectsFile: string | undefined, faults: readonly Fault[] = []) {
  /** The name of the call before this one: what a server that mixes up its calls would send. */
  let previous = 'none';
  const mixed = (when: Fault, name: string): string => {
    const sent = faults.includes(when) ? previous : name;
    previous = name;
    return sent;
  };
  // One write to the end of a file is atomic, so that the lines of all processes are in one order.
  const note = (kind: EffectKind, name: string): void => {
    if (effectsFile !== undefined && !faults.includes('forgets')) appendFileSync(effectsFile, `${kind} ${name}\n`);
  };
  const app = server({
    name: 'cluster',
    version: '1.0.0',
    resources: { [WATCHED]: resource({ name: 'state' }, () => String(process.pid)) },
    tools: {
      echo: tool({ description: 'Answers with its text.', input: z.object({ text: z.string() }) }, ({ text }) =>
        mixed('mixes-results', text),
      ),
      usage: tool({ description: 'Tells the processor time of this process, in microseconds.' }, () => {
        const { user, system } = process.cpuUsage();
        return String(user + system);
      }),
      node: tool({ description: 'Names the process that answers.' }, () => String(process.pid)),
      steps: tool(
        {
          description: 'Reports its progress. Each report is as much longer than needed as `padding` says.',
          input: z.object({
            name: z.string(),
            count: z.number(),
            pauseMs: z.number().default(5),
            padding: z.number().default(0),
          }),
        },
        async ({ name, count, pauseMs, padding }, ctx) => {
          for (let step = 1; step <= count; step++) {
            if (step === 5 && faults.includes('skips-progress')) continue;
            const message = mixed('mixes-progress', name) + ' '.repeat(padding);
            await ctx.progress({ progress: step, total: count, message });
            await sleep(pauseMs, undefined, { signal: ctx.signal });
          }
          return name;
        },
      ),
      charge: tool({ description: 'Asks, and then acts once.', input: named }, async ({ name }, ctx) => {
        const { word } = await ctx.ask(
          'sure',
          `Charge ${mixed('mixes-questions', name)}?`,
          z.object({ word: z.string() }),
        );
        await ctx.once('charge', () => {
          note('effect', name);
          return name;
        });
        note('recorded', name);
        if (faults.includes('repeats')) note('effect', name);
        return `${name} ${word}`;
      }),
      think: tool({ description: 'Asks the model of the client.', input: named }, async ({ name }, ctx) => {
        const { content } = await ctx.sample('thought', {
          messages: [{ role: 'user', content: { type: 'text', text: `Think of ${mixed('mixes-questions', name)}` } }],
          maxTokens: 10,
        });
        const [block] = [content].flat();
        return block?.type === 'text' ? block.text : '';
      }),
      tell: tool({ description: 'Sends a log message that belongs to no call.', input: named }, ({ name }, ctx) => {
        void ctx.session?.log('warning', name);
        return 'told';
      }),
      change: tool({ description: 'Announces that the resource has changed, and adds a tool.' }, () => {
        app.changed(WATCHED);
        app.tools.set(
          'added',
          tool({}, () => 'added'),
        );
        return 'announced';
      }),
      whoami: tool({ description: 'Names the user.' }, (_, ctx) =>
        faults.includes('mixes-users') ? 'another user' : (ctx.principal?.id ?? 'anonymous'),
      ),
      act: tool({ description: 'Acts without asking.', input: named }, ({ name }) => {
        note('effect', name);
        return name;
      }),
      work: tool(
        { description: 'A task that fails if its process ends.', input: work, taskSupport: 'optional' },
        async ({ name, before, after }) => {
          await sleep(before);
          note('effect', name);
          await sleep(after);
          return name;
        },
      ),
      rework: tool(
        {
          description: 'A task that runs again if its process ends.',
          input: work,
          taskSupport: 'optional',
          interrupted: 'rerun',
        },
        async ({ name, before, after }, ctx) => {
          await sleep(before);
          await ctx.once('first', () => {
            note('effect', name);
            return name;
          });
          note('recorded', name);
          await sleep(after);
          return name;
        },
      ),
    },
  });
  return app;
}
