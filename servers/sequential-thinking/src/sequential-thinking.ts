import { type Context, resource, type Server, server, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { perClient } from '../../shared/per-client.ts';
import { icon } from '../../shared/icon.ts';
import { type Chain, Chains } from './chains.ts';

const ICON = icon('#087f5b', '<path d="M5 18h4v-4h4v-4h4V6h2"/>');

/** Models sometimes send `"true"` for `true`. */
const flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', 'TRUE', 'FALSE'])])
  .transform((value) => (typeof value === 'boolean' ? value : value.toLowerCase() === 'true'));
/** And `"3"` for `3`. */
const number = z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,8}$/)]).transform(Number);

const INPUT = z.object({
  thought: z.string().max(100_000).describe('Your current thinking step'),
  nextThoughtNeeded: flag.describe('Whether another thought step is needed'),
  thoughtNumber: number.describe('Current thought number (numeric value, e.g., 1, 2, 3)'),
  totalThoughts: number.describe('Estimated total thoughts needed (numeric value, e.g., 5, 10)'),
  isRevision: flag.optional().describe('Whether this revises previous thinking'),
  revisesThought: number.optional().describe('Which thought is being reconsidered'),
  branchFromThought: number.optional().describe('Branching point thought number'),
  branchId: z.string().max(200).optional().describe('Branch identifier'),
  needsMoreThoughts: flag.optional().describe('If more thoughts are needed'),
  chain: z
    .string()
    .max(100)
    .optional()
    .describe('The chain that this thought continues, as returned with the previous thought'),
});

const OUTPUT = z.object({
  thoughtNumber: z.number(),
  totalThoughts: z.number(),
  nextThoughtNeeded: z.boolean(),
  branches: z.array(z.string()),
  thoughtHistoryLength: z.number(),
  chain: z.string().describe('Give it with the next thought'),
});

const DESCRIPTION = `Think through a problem step by step, in a chain of thoughts that can be revised and branched.

Use it for problems that take several steps: planning, analysis that may need a correction, problems whose size is not clear at first, work in which something has to be kept in mind over many steps.

How to use it:
1. Begin with thoughtNumber 1 and an estimate of how many thoughts it will take (totalThoughts). The estimate may go up or down.
2. Give the \`chain\` of the answer with every further thought.
3. Question what you thought before: isRevision and revisesThought say which thought is reconsidered.
4. Try alternatives: branchFromThought and branchId begin a branch.
5. Go on after what seemed to be the end if something is missing (needsMoreThoughts).
6. Say when you are unsure; leave out what does not matter for the step.
7. Form a hypothesis, check it against the chain, and repeat until it holds.
8. Set nextThoughtNeeded to false only when the answer is there.`;

/** Chains of clients that cannot be distinguished. Such a chain can be continued only by its id, which cannot be guessed. */
const MAX_ANONYMOUS_CHAINS = 10_000;

/** Makes the server. */
export function createSequentialThinking(): Server {
  const anonymous = new Chains(MAX_ANONYMOUS_CHAINS);
  const ofClient = perClient(() => new Chains());
  const chainsOf = (ctx: Pick<Context, 'principal' | 'session'>): Chains => ofClient(ctx) ?? anonymous;

  /** The first thought starts a chain; every other one continues the chain that it names, or else the client's last one. */
  const chainFor = (
    chains: Chains,
    { chain: id, thoughtNumber, isRevision, branchFromThought }: z.output<typeof INPUT>,
  ): Chain => {
    if (id !== undefined) {
      const found = chains.get(id);
      if (found === undefined) throw new ToolError(`There is no chain '${id}' (any more): start one with thought 1`);
      return found;
    }
    const begins = thoughtNumber === 1 && isRevision !== true && branchFromThought === undefined;
    return begins || chains === anonymous ? chains.begin() : (chains.last ?? chains.begin());
  };

  return server({
    name: 'sequential-thinking',
    version: '0.1.0',
    icons: [ICON],
    title: 'Sequential thinking',
    tools: {
      sequentialthinking: tool(
        {
          title: 'Sequential Thinking',
          description: DESCRIPTION,
          input: INPUT,
          output: OUTPUT,
          // The thought is stored.
          readOnly: false,
          destructive: false,
          openWorld: false,
        },
        (input, ctx) => {
          const chains = chainsOf(ctx);
          const chain = chainFor(chains, input);
          const { thought, thoughtNumber, nextThoughtNeeded, revisesThought, branchFromThought, branchId } = input;
          const totalThoughts = Math.max(input.totalThoughts, thoughtNumber);
          try {
            chains.add(chain, { thought, thoughtNumber, totalThoughts, revisesThought, branchFromThought, branchId });
          } catch (error) {
            throw new ToolError((error as Error).message);
          }
          return {
            thoughtNumber,
            totalThoughts,
            nextThoughtNeeded,
            branches: [...chain.branches],
            thoughtHistoryLength: chain.thoughts.length,
            chain: chain.id,
          };
        },
      ),
    },
    resources: {
      'thinking://chain/{chain}': resource(
        { name: 'chain', title: 'A chain of thoughts', mimeType: 'application/json' },
        ({ chain }, ctx) => {
          const found = chainsOf(ctx).get(chain as string);
          return found === undefined ? undefined : JSON.stringify(found.thoughts, undefined, 2);
        },
      ),
    },
  });
}
