import { randomUUID } from 'node:crypto';
import { envFilePath, readEnvFile } from '../config/env-file.ts';
import { resolveServer, resolveWorkingFolder } from '../config/resolve.ts';
import { launchOf } from '../config/target.ts';
import { expand, type Values, variablesOf } from '../config/variables.ts';
import type { ServerConfig, ValueLaunch, WrittenLaunch } from '../config/server-config.ts';
import type { StartItem } from '../pending/item.ts';
import type { Gate, PolicyDecision } from '../policy/gate.ts';
import { type StateStore, UnreadableError } from '../state/state-store.ts';
import { isObject } from '@tenon/values/is-object';
import { sha256 } from '../values/sha256.ts';
import { waitFor } from '../values/wait-for.ts';
import { startWarnings } from './start-warnings.ts';
import type { Place } from './places.ts';
import { changesBetween, type Fingerprint, fingerprintOf } from './fingerprint.ts';

export interface ApprovalOptions {
  readonly gate: Gate;
  readonly store: StateStore;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The value of `${workspaceFolder}`. */
  readonly folder: string;
  readonly input: ((id: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** Records the decision. If that fails, the server is not started. */
  record(decision: PolicyDecision): Promise<void>;
  /** Records that the start was cancelled before the decision. */
  recordCancelled(): Promise<void>;
  /** The answers to its inputs, for restarts of the same launch. */
  readonly inputAnswers: Map<string, string | undefined>;
  /** Its place among the starts that are asked about. */
  readonly place: Place;
  now(): number;
}

/** An approved start, with variables filled in. */
export interface ApprovedStart {
  readonly config: ServerConfig;
  /** The digest of the launch. */
  readonly digest: string;
}

function partsName(alias: string): string {
  return `starts/${sha256(alias).slice(0, 40)}`;
}

type Parts = Fingerprint['parts'];

function isParts(value: unknown): value is Parts {
  return isObject(value) && Object.values(value).every((part) => typeof part === 'string');
}

/** The fingerprint parts of the previous start, for display only: an unreadable file does not prevent a start. */
async function readParts(store: StateStore, name: string): Promise<Parts | 'unreadable' | undefined> {
  try {
    const value = await store.get(name);
    return value === undefined || isParts(value) ? value : 'unreadable';
  } catch (error) {
    if (error instanceof UnreadableError) return 'unreadable';
    throw error;
  }
}

async function putParts(store: StateStore, name: string, parts: Parts): Promise<void> {
  if ((await readParts(store, name)) === 'unreadable') await store.quarantine(name);
  await store.put(name, parts);
}

function changesSince(previous: Awaited<ReturnType<typeof readParts>>, parts: Parts): string[] {
  if (previous === 'unreadable') return ['what you approved before can no longer be read'];
  return previous === undefined ? [] : changesBetween(previous, parts);
}

/** Names of the variables in the `envFile`. An unreadable file is reported when the server is started. */
async function namesInFile(launch: WrittenLaunch, folder: string): Promise<string[]> {
  if (launch.kind !== 'stdio' || launch.envFile === undefined) return [];
  return Object.keys(await readEnvFile(envFilePath(launch, folder)).catch(() => ({})));
}

function targetOf(launch: WrittenLaunch, fileNames: readonly string[]): StartItem['target'] {
  if (launch.kind !== 'stdio') return { url: launch.url, headers: Object.keys(launch.headers) };
  const { command, args, cwd, env, envFile } = launch;
  const names = [...new Set([...Object.keys(env), ...fileNames])];
  return { command, args, cwd, env: names, envFile };
}

/** The launch with the variables of this machine filled in. Inputs stay: people are asked for them only after the start was approved. */
async function expandMachineVariables(
  config: ServerConfig,
  { folder, variables }: ApprovalOptions,
): Promise<WrittenLaunch> {
  try {
    const filled = await expand(config, { folder, variables, input: (id) => `\${input:${id}}` });
    return resolveWorkingFolder(filled, folder).launch as WrittenLaunch;
  } catch {
    // Missing variables are reported after the start was approved.
    return config.launch as WrittenLaunch;
  }
}

/** The values for variables. Inputs that were answered are not asked again. */
function valuesOf({ variables, folder, input, inputAnswers }: ApprovalOptions): Values {
  return {
    variables,
    folder,
    async input(id) {
      if (!inputAnswers.has(id)) inputAnswers.set(id, await input?.(id));
      return inputAnswers.get(id);
    },
  };
}

/** Records the start of a server that the program itself passed to the host. It needs no approval. */
async function recordProgramLaunch(
  config: ServerConfig,
  launch: ValueLaunch,
  options: ApprovalOptions,
): Promise<ApprovedStart> {
  const written = launchOf(launch.target);
  const why =
    written === undefined
      ? 'it is part of this program'
      : 'it was given to this program directly, not by a configuration';
  await options.record({ allow: true, why, standing: true, decision: undefined });
  // Next time the same alias may stand for another target.
  return { config, digest: written === undefined ? 'value' : (await fingerprintOf(written)).digest };
}

/** How often a start is asked about if its files change in the meantime. */
const MAX_TRIES = 3;

/**
 * Asks whether a server may start, and then fills in its variables. `previous` is the digest of the last approved start: an equal one is not
 * asked about again. Resolves with undefined if the server may not start. Rejects if something is missing, or keeps changing.
 */
export async function approveStart(
  config: ServerConfig,
  options: ApprovalOptions,
  signal: AbortSignal,
  previous?: string,
): Promise<ApprovedStart | undefined> {
  const { launch } = config;
  if (launch.kind === 'value') return recordProgramLaunch(config, launch, options);
  const { folder, store, inputAnswers } = options;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const expanded = await expandMachineVariables(config, options);
    const requested = await fingerprintOf(launch, expanded, folder);
    const isAsBefore = requested.digest === previous;
    if (!isAsBefore) inputAnswers.clear();
    const decision = isAsBefore
      ? { allow: true, why: 'it is the same as at the last start', standing: true, decision: undefined }
      : await askToStart(config, expanded, requested, options, signal);
    options.place.passed();
    await options.record(decision);
    if (!decision.allow) return undefined;
    await putParts(store, partsName(config.alias), requested.parts);
    const filled = await resolveServer(config, valuesOf(options));
    // The files may have changed while the person decided.
    const now = await fingerprintOf(launch, await expandMachineVariables(config, options), folder);
    if (now.digest === requested.digest) return { config: filled, digest: now.digest };
  }
  throw new Error('what would be started changed after each approval');
}

async function askToStart(
  config: ServerConfig,
  expanded: WrittenLaunch,
  fingerprint: Fingerprint,
  options: ApprovalOptions,
  signal: AbortSignal,
): Promise<PolicyDecision> {
  const { alias, trusted = false, source } = config;
  const previous = await readParts(options.store, partsName(alias));
  const target = targetOf(expanded, await namesInFile(expanded, options.folder));
  const item = (): StartItem => ({
    kind: 'start',
    id: randomUUID(),
    at: options.now(),
    server: alias,
    warnings: startWarnings(expanded, source, 'env' in target ? target.env : []),
    target,
    variables: [...new Set(variablesOf(config).map(({ name, into }) => `${name} into ${into}`))],
    changed: changesSince(previous, fingerprint.parts),
    source: source?.file,
  });
  try {
    await waitFor(options.place.turn, signal);
    const { passed: onWaiting } = options.place;
    const subject = { act: 'start', server: alias, trusted, exactly: fingerprint.digest } as const;
    return await options.gate.decide(subject, item, { signal, onWaiting });
  } catch (error) {
    if (signal.aborted) await options.recordCancelled();
    throw error;
  }
}
