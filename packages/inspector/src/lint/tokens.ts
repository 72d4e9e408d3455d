import type { LintContext, LintRule, RuleGroup } from './rule.ts';
import type { Surface } from '../compare/surface.ts';
import { isObject } from '@tenon/values/is-object';
import { counted } from '@tenon/values/counted';

/** The average number of characters per token in English and JSON. Models differ by a third either way. */
const CHARACTERS_PER_TOKEN = 4;

/** The estimated number of tokens of a text: a quarter of its characters. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The cost of a server's tools in every request to a model, in estimated tokens. */
export interface SurfaceCost {
  /** For all tools and the instructions. */
  readonly total: number;
  readonly instructions: number;
  /** In the order of the list. */
  readonly tools: readonly number[];
}

/**
 * The cost of everything that hosts give to a model: the name, description and input schema of each tool, and the instructions.
 */
export function surfaceCost({ tools, instructions }: Pick<Surface, 'tools' | 'instructions'>): SurfaceCost {
  const each = tools.map((tool) => {
    if (!isObject(tool)) return 0;
    const { name, description, inputSchema } = tool;
    return estimateTokens(jsonOf({ name, description, inputSchema }));
  });
  const instructionTokens = typeof instructions === 'string' ? estimateTokens(instructions) : 0;
  return {
    total: each.reduce((sum, cost) => sum + cost, instructionTokens),
    instructions: instructionTokens,
    tools: each,
  };
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // nested deeper than the engine can write
  }
}

const MAX_PER_TOOL = 1_000;
const MAX_IN_ALL = 10_000;
const MANY_TOOLS = 40;
const costs = new WeakMap<LintContext, SurfaceCost>();

function costOf(context: LintContext): SurfaceCost {
  let cost = costs.get(context);
  if (cost === undefined) {
    const tools = context.entriesOf('tool').map(({ given }) => given);
    cost = surfaceCost({ tools, instructions: context.surface.instructions as string });
    costs.set(context, cost);
  }
  return cost;
}

const tool: LintRule<LintContext> = {
  id: 'tokens-tool',
  title: 'A tool that costs a model more than about 1,000 tokens',
  why: 'Name, description and input schema are part of every request, whether the tool is used or not. Estimated: a quarter of the characters of their JSON.',
  severity: 'warning',
  see(context, _context, report) {
    const { tools } = costOf(context);
    context.entriesOf('tool').forEach((entry, index) => {
      const cost = tools[index] ?? 0;
      if (cost > MAX_PER_TOOL)
        report(`The tool costs about ${cost.toLocaleString('en')} tokens`, {
          about: entry,
          fix: 'Shorten descriptions, and remove arguments that the tool can determine itself.',
        });
    });
  },
};

const total: LintRule<LintContext> = {
  id: 'tokens-total',
  title: 'Tools and instructions that cost a model more than about 10,000 tokens together',
  why: 'They are part of every request, which gets slower and more expensive, with less room for the task. Estimated as for one tool.',
  severity: 'warning',
  see(context, _context, report) {
    const cost = costOf(context);
    if (cost.total > MAX_IN_ALL)
      report(
        `${counted(cost.tools.length, 'tool')} and the instructions cost about ${cost.total.toLocaleString('en')} tokens`,
        {
          fix: 'Offer fewer tools, or shorter ones.',
        },
      );
  },
};

const count: LintRule<LintContext> = {
  id: 'tool-count',
  title: 'More than 40 tools',
  why: 'Hosts limit the number, some to 40, some to 128; models choose worse among many.',
  severity: 'info',
  see(context, _context, report) {
    const { length } = context.entriesOf('tool');
    if (length > MANY_TOOLS)
      report(`There are ${length} tools`, {
        fix: 'Combine related tools, or split them over several servers.',
      });
  },
};

export const tokenRules: RuleGroup = { surface: [tool, total, count] };
