import { PeerError } from '../protocol/errors.ts';
import type { JsonSchema, ToolEntry } from '../protocol/entities.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { type Clock, sleep } from './clock.ts';
import { firstOfName } from './first-of-name.ts';
import type { Report } from './report.ts';

/** Checks a value. Returns what is wrong with it, or undefined. */
export type Validate = (value: unknown) => string | undefined;

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

/** Checks tool results against the output schemas of the tools. */
export class OutputChecker {
  readonly #options: OutputCheckerOptions;
  #known = new Map<string, KnownTool>();
  /** Counts how often the known tools became outdated. */
  #generation = 0;
  #listedAt = -Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(options: OutputCheckerOptions) {
    this.#options = options;
  }

  /** Throws a `PeerError` if the structured content of a result does not match the tool's output schema. */
  check(tool: string, result: CallToolResult): void | Promise<void> {
    if (result.isError === true) return;
    if (result.structuredContent !== undefined) return this.#check(tool, result.structuredContent);
    if (!this.declares(tool)) return;
    throw new PeerError(
      'invalid-output',
      `The result of '${shown(tool, 60)}' has no structured content, although the tool declares an output schema`,
    );
  }

  /** Is the tool known to have an output schema? */
  declares(tool: string): boolean {
    return this.#known.get(tool)?.schema !== undefined;
  }

  /** Call this when tools are requested, and the returned function with each tool of the list. */
  beginListing(): (tool: ToolEntry) => void {
    const now = this.#generation;
    return (tool) => this.#learn(tool, now, this.#known);
  }

  /** The list of tools has changed, so known schemas may be outdated. */
  markStale(): void {
    this.#generation++;
  }

  /** Keeps the compiled check of an unchanged schema. */
  #learn({ name, outputSchema }: ToolEntry, generation: number, before: ReadonlyMap<string, KnownTool>): void {
    const current = this.#known.get(name);
    if (current === undefined ? this.#known.size >= MAX_TOOLS : current.generation > generation) return;
    const entry = before.get(name);
    const same = entry !== undefined && JSON.stringify(entry.schema) === JSON.stringify(outputSchema);
    this.#known.set(name, { schema: outputSchema, generation, validate: same ? entry.validate : undefined });
  }

  async #refresh(): Promise<void> {
    const { clock, list, report } = this.#options;
    this.#listedAt = clock.now();
    const before = this.#known;
    const now = this.#generation;
    const isFirst = firstOfName();
    this.#known = new Map();
    try {
      for await (const tool of list()) if (isFirst(tool.name)) this.#learn(tool, now, before);
    } catch (error) {
      report('warn', 'tools-unknown', 'The tools could not be listed, so their results are not checked', error);
    }
  }

  #isStale(tool: string): boolean {
    return this.#known.get(tool)?.generation !== this.#generation;
  }

  /** Lists the tools, unless they were listed just now. */
  #update(): Promise<void> | undefined {
    const { clock } = this.#options;
    if (this.#refreshing === undefined && clock.now() - this.#listedAt < MIN_REFRESH_MS) return undefined;
    return (this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    }));
  }

  #validatorOf(tool: string, entry: KnownTool): Promise<Validate | undefined> {
    const { compile, report } = this.#options;
    return (entry.validate ??= compile(entry.schema!).catch((error: unknown) => {
      report(
        'warn',
        'bad-schema',
        `The output schema of '${shown(tool, 60)}' cannot be used, so its results are not checked`,
        error,
      );
      return undefined;
    }));
  }

  async #problemOf(tool: string, value: unknown): Promise<string | undefined> {
    const entry = this.#known.get(tool);
    if (entry?.schema === undefined) return undefined;
    return (await this.#validatorOf(tool, entry))?.(value);
  }

  async #check(tool: string, value: unknown): Promise<void> {
    const { clock } = this.#options;
    if (this.#isStale(tool)) await this.#update();
    let problem = await this.#problemOf(tool, value);
    if (problem === undefined) return;
    // The tool may have changed since the last listing.
    if (this.#isStale(tool)) await sleep(clock, this.#listedAt + MIN_REFRESH_MS - clock.now());
    await this.#update();
    problem = await this.#problemOf(tool, value);
    if (problem !== undefined)
      throw new PeerError(
        'invalid-output',
        `The result of '${shown(tool, 60)}' does not fit its output schema: ${problem}`,
      );
  }
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
