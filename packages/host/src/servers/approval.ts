import { createHash, randomUUID } from 'node:crypto';
import { withEnvFile } from '../config/env-file.ts';
import { expand, variablesOf } from '../config/variables.ts';
import type { ServerConfig, WrittenLaunch } from '../config/server-config.ts';
import type { StartItem } from '../pending/item.ts';
import type { Gate, Passage } from '../policy/gate.ts';
import type { Keep } from '../state/keep.ts';
import { dangersOf } from './dangers.ts';
import { changesBetween, type Fingerprint, fingerprintOf } from './fingerprint.ts';

export interface ApprovalOptions {
  readonly gate: Gate;
  readonly keep: Keep;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. */
  readonly folder: string;
  readonly input: ((id: string) => string | undefined | Promise<string | undefined>) | undefined;
  now(): number;
}

const partsName = (alias: string): string => `starts/${createHash('sha256').update(alias).digest('hex').slice(0, 40)}`;

const targetOf = (launch: WrittenLaunch): StartItem['target'] => {
  if (launch.kind === 'stdio') {
    const { command, args, cwd, env } = launch;
    return { command, args, cwd, env: Object.keys(env) };
  }
  return { url: launch.url, headers: Object.keys(launch.headers) };
};

/** The configuration with the variables of this machine in it. Inputs stay: nobody is asked for one before the start is allowed. */
const placesOf = async (config: ServerConfig, folder: string): Promise<ServerConfig> => {
  try {
    return await expand(config, { folder, input: (id) => `\${input:${id}}` });
  } catch {
    // What is missing is told once somebody allowed the start.
    return config;
  }
};

/** Asks whether a server may start, and fills in its variables once it may. */
export const approveStart = async (
  config: ServerConfig,
  { gate, keep, variables, folder, input, now }: ApprovalOptions,
  signal: AbortSignal,
): Promise<{ readonly passage: Passage; readonly config: ServerConfig | undefined }> => {
  const { alias, trusted = false, launch } = config;
  if (launch.kind === 'value') {
    return {
      passage: { allow: true, why: 'it is part of this program', standing: true, decision: undefined },
      config,
    };
  }
  const places = await placesOf(config, folder);
  const fingerprint = await fingerprintOf(launch, places.launch as WrittenLaunch);
  const kept = (await keep.get(partsName(alias))) as Fingerprint['parts'] | undefined;
  const item = (): StartItem => ({
    kind: 'start',
    id: randomUUID(),
    at: now(),
    server: alias,
    warnings: dangersOf(launch, config.source),
    target: targetOf(launch),
    variables: [...new Set(variablesOf(config).map(({ name, into }) => `${name} into ${into}`))],
    changed: kept === undefined ? [] : changesBetween(kept, fingerprint.parts),
    source: config.source?.file,
  });
  const subject = { act: 'start' as const, server: alias, trusted, exactly: fingerprint.digest };
  const passage = await gate.pass(subject, item, { signal });
  if (!passage.allow) return { passage, config: undefined };
  await keep.put(partsName(alias), fingerprint.parts);
  const values = { variables, folder, ...(input === undefined ? {} : { input }) };
  return { passage, config: await withEnvFile(await expand(config, values), folder) };
};
