import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** The servers that come with this project, by the names they are run with. */
export const OWN_SERVERS: ReadonlyMap<string, string> = new Map([
  ['everything', 'every feature of the protocol, to try clients with'],
  ['fetch', 'pages of the web as Markdown'],
  ['filesystem', 'files in the folders you name, and nowhere else'],
  ['git', 'git repositories in the folders you name'],
  ['memory', 'a memory of entities, what is known about them, and how they are related'],
  ['sequential-thinking', 'a chain of thoughts that can be revised and branched'],
  ['time', 'the time in any zone, and what a time there is here'],
]);

/** What a package of a server gives. */
interface ServerPackage {
  /** Runs it with these arguments. */
  main(argv: readonly string[]): Promise<void>;
}

const locate = (name: string): string | undefined => {
  // Beside this command, or where it is called.
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href])
    try {
      return pathToFileURL(createRequire(from).resolve(name)).href;
    } catch {
      // Looked for at the next place.
    }
  return undefined;
};

/**
 * Runs one of them, if that is what the command line says: everything after its name is for the server. Gives whether it was.
 */
export const runOwnServer = async ([verb, name = '', ...args]: readonly string[]): Promise<boolean> => {
  if (verb !== 'run' || !OWN_SERVERS.has(name) || existsSync(name)) return false;
  const place = locate(`@tenon/server-${name}`);
  if (place === undefined) {
    process.stderr.write(`The server ${name} is not installed: npm install @tenon/server-${name}\n`);
    process.exitCode = 2;
    return true;
  }
  const { main } = (await import(place)) as ServerPackage;
  await main(args);
  return true;
};
