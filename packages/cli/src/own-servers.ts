import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** The servers that come with this project, with their descriptions, by their names for `tenon run`. */
export const OWN_SERVERS: ReadonlyMap<string, string> = new Map([
  ['aws-kb-retrieval', 'passages from knowledge bases of Amazon Bedrock'],
  ['everything', 'every feature of the protocol, for testing clients'],
  ['fetch', 'web pages as Markdown'],
  ['filesystem', 'files in the folders you name, and nowhere else'],
  ['git', 'git repositories in the folders you name'],
  ['github', 'repositories, files, issues and pull requests on GitHub'],
  ['memory', 'a knowledge graph: entities, observations about them, and relations'],
  ['postgres', 'read-only queries of a PostgreSQL database'],
  ['puppeteer', 'web pages in a browser: navigation, screenshots, clicks, forms and scripts'],
  ['redis', 'keys and values of a Redis database'],
  ['sequential-thinking', 'a chain of thoughts that can be revised and branched'],
  ['sqlite', 'a SQLite database, read-only unless you allow writing'],
  ['time', 'the time in any zone, and conversion between zones'],
]);

/** The exports of a server's package. */
interface ServerPackage {
  /** Runs the server with these arguments. */
  main(argv: readonly string[]): Promise<void>;
}

function locate(name: string): string | undefined {
  // Resolve from this package, then from the current folder.
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href])
    try {
      return pathToFileURL(createRequire(from).resolve(name)).href;
    } catch {
      // Not found: try the next one.
    }
  return undefined;
}

/**
 * Runs a server of this project if the command line says `run <name>`, and passes everything after the name to it. Returns whether it did.
 */
export async function runOwnServer([verb, name = '', ...args]: readonly string[]): Promise<boolean> {
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
}
