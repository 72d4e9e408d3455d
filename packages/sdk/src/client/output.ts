import { PeerError } from '../protocol/errors.ts';
import type { JsonSchema, ToolEntry } from '../protocol/entities.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { type Clock, sleep } from './clock.ts';
import type { Report } from './report.ts';

/** Checks a value; gives what is wrong with it, or undefined. */
export type Validate = (value: unknown) => string | undefined;

/** Checks what tools return against what they promised. */
export interface Outputs {
  /** Throws a `PeerError` if the structured content of a result does not fit the schema the tool was listed with. */
  check(tool: string, result: CallToolResult): void | Promise<void>;
  /** Call when tools are asked for; call what it returns with each that was listed. */
  learning(): (tool: ToolEntry) => void;
  /** The list of tools changed: what is known may be out of date. */
  outdated(): void;
}

export interface OutputsOptions {
  readonly clock: Clock;
  readonly report: Report;
  /** All tools of the server, asked for now. */
  list(): AsyncIterable<ToolEntry>;
  /** Makes a check of a schema of the peer. Rejects for a schema that cannot be used. */
  compile(schema: JsonSchema): Promise<Validate>;
}

/** The tools are asked for again at most so often, however often a server says that they changed. */
const REFRESH_MS = 1_000;
/** Most tools to remember. */
const MOST_TOOLS = 10_000;

interface Known {
  readonly schema: JsonSchema | undefined;
  /** Which generation of the tools it is of. */
  generation: number;
  validate: Promise<Validate | undefined> | undefined;
}

export const createOutputs = ({ clock, report, list, compile }: OutputsOptions): Outputs => {
  let known = new Map<string, Known>();
  /** Counts what made the tools that were known out of date. */
  let generation = 0;
  let asked = -Infinity;
  let asking: Promise<void> | undefined;

  /** A schema that is the same as before keeps its compiled check. */
  const learn = ({ name, outputSchema }: ToolEntry, generation: number, before: ReadonlyMap<string, Known>): void => {
    const there = known.get(name);
    if (there === undefined ? known.size >= MOST_TOOLS : there.generation > generation) return;
    const entry = before.get(name);
    const same = entry !== undefined && JSON.stringify(entry.schema) === JSON.stringify(outputSchema);
    known.set(name, { schema: outputSchema, generation, validate: same ? entry.validate : undefined });
  };

  const refresh = async (): Promise<void> => {
    asked = clock.now();
    const before = known;
    const now = generation;
    known = new Map();
    try {
      for await (const tool of list()) learn(tool, now, before);
    } catch (error) {
      report(
        'warn',
        'tools-unknown',
        'The tools could not be listed, so results are not checked against their schemas',
        error,
      );
    }
  };

  const isOutdated = (tool: string): boolean => known.get(tool)?.generation !== generation;

  /** Makes sure the tools are known, unless they were asked for just now. */
  const update = (): Promise<void> | undefined => {
    if (asking === undefined && clock.now() - asked < REFRESH_MS) return undefined;
    return (asking ??= refresh().finally(() => {
      asking = undefined;
    }));
  };

  const validatorOf = (tool: string, entry: Known): Promise<Validate | undefined> =>
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

  const check = async (tool: string, value: unknown): Promise<void> => {
    if (isOutdated(tool)) await update();
    let problem = await problemOf(tool, value);
    if (problem === undefined) return;
    // The tool may have changed since it was listed.
    if (isOutdated(tool)) await sleep(clock, asked + REFRESH_MS - clock.now());
    await update();
    problem = await problemOf(tool, value);
    if (problem !== undefined)
      throw new PeerError(`The result of '${shown(tool, 60)}' does not fit its output schema: ${problem}`);
  };

  return {
    check(tool, result) {
      if (result.isError === true) return;
      if (result.structuredContent !== undefined) return check(tool, result.structuredContent);
      if (known.get(tool)?.schema === undefined) return;
      throw new PeerError(
        `The result of '${shown(tool, 60)}' has no structured content, although the tool declares an output schema`,
      );
    },
    learning() {
      const now = generation;
      return (tool) => learn(tool, now, known);
    },
    outdated() {
      generation++;
    },
  };
};
