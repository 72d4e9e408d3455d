// A browser as a process of its own, with a temporary profile that disappears with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { isAlive, pidNamespace } from '@tenon/values/node/process-identity';
import type { Browser } from 'playwright-core';
import { ToolError } from 'tenon';
import { type GuardProxy, startGuardProxy } from './guard-proxy.ts';
import type { Launch } from './launch-options.ts';
import { createMessagePipe } from './message-pipe.ts';
import type { Origins } from './origins.ts';

const START_MS = 30_000;
/** How much of the browser's own messages is kept, in characters. */
const MAX_STDERR = 4_000;

/** A running browser. */
export interface RunningBrowser {
  readonly browser: Browser;
  readonly proxy: GuardProxy;
  readonly pid: number;
  /** The folder of the profile. */
  readonly profile: string;
  /** Resolves when the process has ended and the profile is removed. */
  readonly ended: Promise<void>;
  /** Ends the process at once. */
  kill(): void;
}

export interface BrowserOptions {
  readonly path: string;
  readonly launch: Launch;
  readonly origins: Origins;
  readonly warn: (message: string) => void;
}

/** Switches that the browser is always started with. The last ones decide, so they come after those of the launch options. */
function switchesOf({ launch, isRoot }: { launch: Launch; isRoot: boolean }, port: number, profile: string): string[] {
  return [
    '--no-first-run',
    '--no-default-browser-check',
    '--no-startup-window',
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-component-extensions-with-background-pages',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    '--disable-sync',
    '--disable-field-trial-config',
    '--disable-back-forward-cache',
    '--disable-prompt-on-repost',
    '--disable-hang-monitor',
    // Addresses are used as they are, and nothing is requested that no page asked for.
    '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,MediaRouter,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch,Translate,AutofillServerCommunication,CertificateTransparencyComponentUpdater',
    '--enable-features=CDPScreenshotNewSurface',
    '--metrics-recording-only',
    '--password-store=basic',
    '--use-mock-keychain',
    '--no-service-autorun',
    '--force-color-profile=srgb',
    ...(launch.headless ? ['--headless', '--hide-scrollbars', '--mute-audio'] : []),
    ...(isRoot ? ['--no-sandbox'] : []),
    ...launch.args,
    `--proxy-server=socks5://127.0.0.1:${port}`,
    // Also for addresses of this machine, for which there is no proxy otherwise.
    '--proxy-bypass-list=<-loopback>',
    // Names are resolved by the proxy only.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--disable-quic',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    `--user-data-dir=${profile}`,
    '--remote-debugging-pipe',
  ];
}

/** Browsers open addresses of these kinds in other programs without asking, also if a page goes there by itself, unless a policy blocks them. */
const PREFERENCES = { policy: { url_blocklist: ['mailto:*', 'news:*', 'snews:*'] } };

/** Makes the folder of a profile, and removes those of servers that were killed. */
async function makeProfile(): Promise<string> {
  // Pids of another container or machine with the same folder say nothing.
  const scope = createHash('sha256')
    .update(await pidNamespace())
    .digest('hex')
    .slice(0, 12);
  const prefix = `tenon-puppeteer-${scope}-`;
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [pid] = name.startsWith(prefix) ? name.slice(prefix.length).split('-') : [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(tmpdir(), name), REMOVAL).catch(() => {});
  }
  const profile = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  await mkdir(join(profile, 'Default'));
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
  return profile;
}

/** Processes of the browser that are about to end may still write. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };

/** Kills the browser with all its processes. */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    // On Windows there are no process groups; the other processes of the browser end with the first.
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Starts a browser. Rejects with a `ToolError` if it does not start. */
export async function startBrowser({ path, launch, origins, warn }: BrowserOptions): Promise<RunningBrowser> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    warn(
      'WARNING: the browser runs WITHOUT ITS SANDBOX, because this process belongs to root. A page that exploits a bug of the browser could take over this machine. Run the server as another user.',
    );
  const profile = await makeProfile();
  const proxy = await startGuardProxy(origins);
  const child = spawn(path, switchesOf({ launch, isRoot }, proxy.port, profile), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: launch.headless,
  });
  const kill = (): void => killTree(child);
  const onExit = (): void => {
    kill();
    rmSync(profile, REMOVAL);
  };
  process.once('exit', onExit);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-MAX_STDERR)));
  const stopped = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
  const ended = stopped.then(async () => {
    kill();
    proxy.close();
    await rm(profile, REMOVAL).catch(() => {});
    process.off('exit', onExit);
  });
  const pipe = createMessagePipe(child.stdio[4] as Readable, child.stdio[3] as Writable, kill);
  const { chromium } = await import('playwright-core');
  const connected = chromium.connectOverCDP(pipe, { timeout: START_MS, artifactsDir: profile });
  connected.catch(() => {});
  const first = await Promise.race([connected.catch((error: Error) => error.message), stopped]);
  if (typeof first !== 'string') return { browser: first, proxy, pid: child.pid!, profile, ended, kill };
  kill();
  await ended;
  // If it ended by itself, the connection may have been lost before that was known.
  const end = await stopped;
  throw new ToolError(explainFailedStart(path, end.includes('SIGKILL') ? first : end, stderr));
}

function explainFailedStart(path: string, reason: string, stderr: string): string {
  const hint = /No usable sandbox|SUID sandbox|namespace/i.test(stderr)
    ? ' Its sandbox does not work on this machine: user namespaces have to be allowed, or the server has to run in a container of its own as root.'
    : /cannot open display|Missing X server|ozone/i.test(stderr)
      ? ' There is no screen for its window: start the server without --headed.'
      : '';
  const last = stderr.trim().split('\n').slice(-3).join('\n').slice(-1_000);
  return `The browser ${path} did not start: ${reason}.${hint}${last === '' ? '' : `\n${last}`}`;
}
