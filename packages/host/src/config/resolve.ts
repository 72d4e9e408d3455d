import process from 'node:process';
import { withEnvFile } from './env-file.ts';
import type { ServerConfig } from './server-config.ts';
import { expand, type Values } from './variables.ts';

/**
 * A server of a configuration as it is started: with the values of its variables, and with what its file of variables says. For whoever
 * starts it by other means than a host, and has asked the person already. Rejects with a `ConfigError` that names what is missing.
 */
export const resolveServer = async (config: ServerConfig, values: Values = {}): Promise<ServerConfig> =>
  withEnvFile(await expand(config, values), values.folder ?? process.cwd());
