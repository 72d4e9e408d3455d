// A registry on this machine with the packages of this repository. All other packages come from the registry that npm is configured for.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ENDS_WITH_PARENT } from '../scripts/lib/ends-with-parent.ts';
import { root } from '../scripts/lib/files.ts';
import { freePort } from '../scripts/lib/free-port.ts';
import { npmCommand } from '../scripts/lib/npm.mjs';
import { publishPackages } from '../scripts/lib/publish.ts';
import { until } from '../scripts/lib/until.ts';

export interface Registry {
  /** Ends with a slash, as npm writes it. */
  readonly url: string;
  close(): Promise<void>;
  /** Rejects when the registry ends by itself, with what it said last. */
  readonly failed: Promise<never>;
}

const npm = npmCommand(root);

function upstream(): string {
  const { stdout } = spawnSync(npm.file, [...npm.args, 'config', 'get', 'registry'], {
    cwd: root,
    encoding: 'utf8',
    shell: npm.shell,
  });
  return stdout.trim();
}

function configuration(folder: string): object {
  const own = { access: '$all', publish: '$all' };
  return {
    storage: join(folder, 'storage'),
    uplinks: { upstream: { url: upstream(), timeout: '60s', maxage: '60m', max_fails: 20 } },
    // Names of this repository are never asked for elsewhere.
    packages: { tenon: own, '@tenon/*': own, '**': { access: '$all', proxy: 'upstream' } },
    max_body_size: '50mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
}

/** Starts an empty registry. It ends with this process. */
export async function startRegistry(port?: number): Promise<Registry> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-registry-')));
  mkdirSync(join(folder, 'storage'));
  const config = join(folder, 'config.yaml');
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(configuration(folder)));
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const verdaccio = join(import.meta.dirname, 'node_modules/verdaccio/bin/verdaccio');
  if (!existsSync(verdaccio)) throw new Error('Verdaccio is not installed; npm run release-trial installs it');
  const child = spawn(
    process.execPath,
    [...ENDS_WITH_PARENT, verdaccio, '--config', config, '--listen', address],
    // Its folder must not be this one: it writes its tokens beside its configuration.
    { cwd: folder, stdio: 'pipe' },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-10_000)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://${address}/`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The registry ended with ${child.exitCode}: ${said}`);
    return fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, `the registry answers at ${url}`);
  let isClosing = false;
  const failed = new Promise<never>((_, reject) => {
    void ended.then(() => {
      if (!isClosing) reject(new Error(`The registry ended with ${child.exitCode ?? child.signalCode}: ${said}`));
    });
  });
  failed.catch(() => {});
  return {
    url,
    failed,
    async close() {
      isClosing = true;
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Publishes every package, as the release workflow does, but without a statement of provenance, which only its CI system can make. */
export function publishAll({ url }: Registry): void {
  // npm publishes only with a token, but this registry lets anybody publish.
  const token = `--${url.replace('http:', '')}:_authToken=anybody`;
  publishPackages([`--registry=${url}`, '--provenance=false', token], () => {});
}
