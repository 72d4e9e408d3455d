import { launchOf } from '../config/target.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { HostOptions } from '../options.ts';

function configList(servers: HostOptions['servers']): readonly ServerConfig[] {
  return Array.isArray(servers)
    ? (servers as readonly ServerConfig[])
    : Object.entries(servers as Exclude<HostOptions['servers'], readonly ServerConfig[]>).map(([alias, target]) => ({
        alias,
        launch: launchOf(target) ?? { kind: 'value', target },
        literal: true,
      }));
}

/** The servers of a host by alias. Throws a `TypeError` if an alias is empty or used twice. */
export function configsOf(servers: HostOptions['servers']): ReadonlyMap<string, ServerConfig> {
  const found = new Map<string, ServerConfig>();
  for (const config of configList(servers)) {
    const { alias } = config;
    if (alias === '' || found.has(alias))
      throw new TypeError(`Each server needs a unique name that is not empty, and '${alias}' is not`);
    found.set(alias, config);
  }
  return found;
}
