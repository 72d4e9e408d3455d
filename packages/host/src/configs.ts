import { launchOf } from './config/target.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { HostOptions } from './options.ts';

const listed = (servers: HostOptions['servers']): readonly ServerConfig[] =>
  Array.isArray(servers)
    ? (servers as readonly ServerConfig[])
    : Object.entries(servers as Exclude<HostOptions['servers'], readonly ServerConfig[]>).map(([alias, target]) => ({
        alias,
        launch: launchOf(target) ?? { kind: 'value', target },
        literal: true,
      }));

/** The servers of a host by their aliases. Throws a `TypeError` where two have one, or one has none. */
export const configsOf = (servers: HostOptions['servers']): ReadonlyMap<string, ServerConfig> => {
  const found = new Map<string, ServerConfig>();
  for (const config of listed(servers)) {
    const { alias } = config;
    if (alias === '' || found.has(alias))
      throw new TypeError(`There are two servers called '${alias}', or one without a name`);
    found.set(alias, config);
  }
  return found;
};
