import { PeerError } from '../protocol/errors.ts';
import type { JsonSchema, ToolEntry } from '../protocol/entities.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { type Clock, sleep } from './clock.ts';
import type { Report } from './report.ts';

/** Checks a value. Returns what is wrong with it, or undefined. */
export type Validate = (value: unknown) => string | undefined;

/** Checks tool results against the output schemas of the tools. */
export interface OutputChecker {
  /** Throws a `PeerError` if the structured content of a result does not match the tool's output schema. */
  check(tool: string, result: CallToolResult): void | Promise<void>;
  /** Is the tool known to have an output schema? */
  declares(tool: string): boolean;
  /** Call this when tools are requested, and the returned function with each tool of the list. */
  beginListing(): (tool: ToolEntry) => void;
  /** The list of tools has changed, so known schemas may be outdated. */
  markStale(): void;
}

export interface OutputCheckerOptions {
  readonly clock: Clock;
  readonly report: Report;
  /** Lists all tools of the server, without the cache. */
  list(): AsyncIterable<ToolEntry>;
  /** Compiles a schema of the peer. Rejects for a schema that cannot be used. */
  compile(schema: JsonSchema): Promise<Validate>;
}

/** Minimum interval between two listings of the tools, in milliseconds, however often the server says that they have changed. */
const MIN_REFRESH_MS = 1_000;
/** How many tools are remembered. */
const MAX_TOOLS = 10_000;

interface KnownTool {
  readonly schema: JsonSchema | undefined;
  /** The generation of the list that it is from. */
  generation: number;
  validate: Promise<Validate | undefined> | undefined;
}

export function createOutputChecker({ clock, report, list, compile }: OutputCheckerOptions): OutputChecker {
  let known = new Map<string, KnownTool>();
  /** Counts how often the known tools became outdated. */
  let generation = 0;
  let listedAt = -Infinity;
  let refreshing: Promise<void> | undefined;

  /** Keeps the compiled check of an unchanged schema. */
  const learn = (
    { name, outputSchema }: ToolEntry,
    generation: number,
    before: ReadonlyMap<string, KnownTool>,
  ): void => {
    const current = known.get(name);
    if (current === undefined ? known.size >= MAX_TOOLS : current.generation > generation) return;
    const entry = before.get(name);
    const same = entry !== undefined && JSON.stringify(entry.schema) === JSON.stringify(outputSchema);
    known.set(name, { schema: outputSchema, generation, validate: same ? entry.validate : undefined });
  };

  const refresh = async (): Promise<void> => {
    listedAt = clock.now();
    const before = known;
    const now = generation;
    known = new Map();
    try {
      for await (const tool of list()) learn(tool, now, before);
    } catch (error) {
      report('warn', 'tools-unknown', 'The tools could not be listed, so their results are not checked', error);
    }
  };

  const isStale = (tool: string): boolean => known.get(tool)?.generation !== generation;

  /** Lists the tools, unless that was done just now. */
  const update = (): Promise<void> | undefined => {
    if (refreshing === undefined && clock.now() - listedAt < MIN_REFRESH_MS) return undefined;
    return (refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    }));
  };

  const validatorOf = (tool: string, entry: KnownTool): Promise<Validate | undefined> =>
    (entry.validate ??= compile(entry.schema!).catch((error: unknown) => {
      report(
        'warn',
        'bad-schema',
        `The output schema of '${shown(tool, 60)}' cannot be used, so its results are not checked`,
        error,
      );
      return undefined;
    }));

  const problemOf = async (tool: string, value: unknown): Promise<string | undefined> => {
    const entry = known.get(tool);
    if (entry?.schema === undefined) return undefined;
    return (await validatorOf(tool, entry))?.(value);
  };

  const declares = (tool: string): boolean => known.get(tool)?.schema !== undefined;

  const check = async (tool: string, value: unknown): Promise<void> => {
    if (isStale(tool)) await update();
    let problem = await problemOf(tool, value);
    if (problem === undefined) return;
    // The tool may have changed since the last listing.
    if (isStale(tool)) await sleep(clock, listedAt + MIN_REFRESH_MS - clock.now());
    await update();
    problem = await problemOf(tool, value);
    if (problem !== undefined)
      throw new PeerError(
        'invalid-output',
        `The result of '${shown(tool, 60)}' does not fit its output schema: ${problem}`,
      );
  };

  return {
    check(tool, result) {
      if (result.isError === true) return;
      if (result.structuredContent !== undefined) return check(tool, result.structuredContent);
      if (!declares(tool)) return;
      throw new PeerError(
        'invalid-output',
        `The result of '${shown(tool, 60)}' has no structured content, although the tool declares an output schema`,
      );
    },
    declares,
    beginListing() {
      const now = generation;
      return (tool) => learn(tool, now, known);
    },
    markStale() {
      generation++;
    },
  };
}

/**
 * Compiles an untrusted output schema; loads the validator on demand. Parts of the schema that cannot be checked are skipped and
 * reported. Rejects for an invalid schema.
 */
export async function compileOutput(schema: JsonSchema, warn: (warning: string) => void): Promise<Validate> {
  const [{ compileSchema }, { formatIssues }] = await Promise.all([
    import('../schema/validator/compile.ts'),
    import('../schema/issue.ts'),
  ]);
  const { validate, warnings } = compileSchema(schema, { untrusted: true });
  for (const warning of warnings) warn(warning);
  return (value) => {
    const issues = validate(value);
    return issues.length === 0 ? undefined : formatIssues(issues);
  };
}
