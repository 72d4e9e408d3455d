import { resolve } from 'node:path';
import process from 'node:process';
import { withEnvFile } from './env-file.ts';
import type { ServerConfig } from './server-config.ts';
import { expand, type Values } from './variables.ts';

/** Resolves a relative working folder against the project, independently of where this program was started. */
export function resolveWorkingFolder(config: ServerConfig, folder: string): ServerConfig {
  const { launch, literal = false } = config;
  if (launch.kind !== 'stdio' || launch.cwd === undefined || literal) return config;
  return { ...config, launch: { ...launch, cwd: resolve(folder, launch.cwd) } };
}

/**
 * Resolves a server for its start: fills in variables, and reads its `envFile`. For programs that start servers without a host, and have
 * already asked the person. Rejects with a `ConfigError` that names what is missing.
 *
 * @example
 * ```ts
 * import { readServers, resolveServer } from '@tenon/host';
 *
 * const { servers } = await readServers('.mcp.json');
 * for (const server of servers) {
 *   const { alias, launch } = await resolveServer(server, { folder: process.cwd() });
 *   if (launch.kind === 'stdio') console.log(alias, launch.command, launch.args);
 * }
 * ```
 */
export async function resolveServer(config: ServerConfig, values: Values = {}): Promise<ServerConfig> {
  const { folder = process.cwd() } = values;
  return withEnvFile(resolveWorkingFolder(await expand(config, values), folder), folder);
}
