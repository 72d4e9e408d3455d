import { resolve } from 'node:path';
import process from 'node:process';
import { withEnvFile } from './env-file.ts';
import type { ServerConfig } from './server-config.ts';
import { expand, type Values } from './variables.ts';

/** A relative folder begins where the project is, wherever this program was started. */
export const startedIn = (config: ServerConfig, folder: string): ServerConfig => {
  const { launch, literal = false } = config;
  if (launch.kind !== 'stdio' || launch.cwd === undefined || literal) return config;
  return { ...config, launch: { ...launch, cwd: resolve(folder, launch.cwd) } };
};

/**
 * A server of a configuration as it is started: with the values of its variables, and with what its file of variables says. For whoever
 * starts it by other means than a host, and has asked the person already. Rejects with a `ConfigError` that names what is missing.
 */
export const resolveServer = async (config: ServerConfig, values: Values = {}): Promise<ServerConfig> => {
  const { folder = process.cwd() } = values;
  return withEnvFile(startedIn(await expand(config, values), folder), folder);
};
