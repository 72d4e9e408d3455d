// Tools to measure any inspector: start times, pages, the main thread of a page, and processes left over.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../../scripts/lib/chromium.ts';

const run = promisify(execFile);

export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Runs `act` `count` times, one run after the other. */
export async function times(count, act) {
  const results = [];
  for (let n = 0; n < count; n++) results.push(await act(n));
  return results;
}

/** The value of a promise, or `otherwise` if it takes longer than `ms`. */
export async function within(ms, promise, otherwise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, otherwise)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `act` with a temporary folder and removes it afterwards. */
export async function withFolder(act) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-bars-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A description of this machine in one line. */
export function machine() {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}, Node ${process.version}`;
}

/**
 * Starts a command that keeps running, and waits until `find` finds a value in its output. `ms` is the time from the start to
 * that moment. The command leads a process group, which `stop` ends: SIGTERM first, SIGKILL after 10 s.
 */
export async function launch([command, ...args], { find, env = {}, limitMs = 60_000 }) {
  const started = performance.now();
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  let output = '';
  const found = new Promise((resolve, reject) => {
    const look = (text) => {
      output = `${output}${text}`.slice(-100_000);
      const value = find(output);
      if (value !== undefined) resolve(value);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', look);
    child.once('error', reject);
    void exited.then(([code]) => reject(new Error(`It ended with ${code} before it was ready:\n${output}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, 'SIGTERM');
    if ((await within(10_000, exited, undefined)) === undefined) process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  const value = await within(limitMs, found, undefined);
  const ms = performance.now() - started;
  if (value === undefined) {
    await stop();
    throw new Error(`It was not ready after ${limitMs} ms:\n${output}`);
  }
  return { value, ms, pid: child.pid, stop };
}

/** Runs a command to its end. `firstMs` is the time of its first output. */
export function wall([command, ...args], { env = {}, limitMs = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let firstMs;
    let stdout = '';
    let stderr = '';
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      timeout: limitMs,
    });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      firstMs ??= performance.now() - started;
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ms: performance.now() - started, firstMs, code, stdout, stderr }));
  });
}

/** The processes with this text in their arguments. */
export async function liveWith(text) {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes(' -o pid='))
    .map((line) => Number.parseInt(line, 10));
}

export function browse() {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

/** Runs in the page: records its long tasks, its times without a reaction, and the frame in which the expected text appears. */
function watchPage() {
  const bars = {
    tasks: [],
    gaps: [],
    ticked: performance.now(),
    expected: undefined,
    clicked: undefined,
    seen: undefined,
  };
  globalThis.bars = bars;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) bars.tasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  setInterval(() => {
    const now = performance.now();
    if (now - bars.ticked > 100) bars.gaps.push([bars.ticked, now - bars.ticked]);
    bars.ticked = now;
  }, 20);
  // Both are measured in the page, so that the time of the test driver is not included.
  addEventListener('click', ({ timeStamp }) => (bars.clicked ??= bars.expected && timeStamp), true);
  new MutationObserver(() => {
    if (bars.expected === undefined || bars.seen !== undefined || bars.clicked === undefined) return;
    if (document.body.innerText.includes(bars.expected))
      requestAnimationFrame((at) => (bars.seen ??= Math.max(at, performance.now())));
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** Opens a page with a new profile that is watched from the start. */
export async function watchedPage(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  await cdp.send('Network.enable');
  const sizes = new Map();
  cdp.on('Network.responseReceived', ({ requestId, type }) => sizes.set(requestId, { type, bytes: 0 }));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (sizes.has(requestId)) sizes.get(requestId).bytes = encodedDataLength;
  });
  await page.goto(url);
  const scriptBytes = () =>
    [...sizes.values()].filter(({ type }) => type === 'Script').reduce((sum, { bytes }) => sum + bytes, 0);
  return { page, cdp, scriptBytes };
}

/** The time of the first paint, in milliseconds after the page was requested. */
export function firstPaint(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list, observer) => {
          const [entry] = list.getEntriesByName('first-contentful-paint');
          if (entry === undefined) return;
          observer.disconnect();
          resolve(entry.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

/** Milliseconds from a click to the frame in which the page shows a text. */
export async function clickToText(page, click, text) {
  await page.evaluate(
    (expected) => Object.assign(globalThis.bars, { expected, clicked: undefined, seen: undefined }),
    text,
  );
  await click();
  await page.waitForFunction(() => globalThis.bars.seen !== undefined);
  return page.evaluate(() => globalThis.bars.seen - globalThis.bars.clicked);
}

/** The heap and DOM size of a page, and the processor time of its main thread so far. */
export async function metricsOf(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const value = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return { heapMB: value('JSHeapUsedSize') / 1_000_000, nodes: value('Nodes'), cpuMs: value('ThreadTime') * 1_000 };
}

/** How long a page must be without a long task to count as quiet. */
const QUIET_MS = 2_000;

/**
 * Runs `act` on a page and waits until `done` is shown and the page is quiet, at most `limitMs`. Returns how long the main
 * thread was blocked (the sum of its tasks over 50 ms), the longest of these tasks, the processor time used (independent of other
 * programs on the machine), and the largest heap seen.
 */
export async function blocked({ page, cdp }, act, { done, limitMs }) {
  const started = performance.now();
  const from = await page.evaluate(() => performance.now());
  const before = await metricsOf(cdp);
  // A blocked page does not even confirm a click: clicks get the whole time, and failures for other reasons are reported.
  page.setDefaultTimeout(limitMs * 2);
  const failed = act().then(() => new Promise(() => {}));
  failed.catch(() => {});
  const look = () =>
    page.evaluate(
      ([from, done]) => {
        const tasks = globalThis.bars.tasks.filter(([start]) => start >= from);
        const gaps = globalThis.bars.gaps.filter(([start]) => start >= from);
        const sum = (of) => of.reduce((total, [, ms]) => total + ms, 0);
        // A task or a time without reaction is reported after it ends: the page is not quiet until it has ticked again.
        const now = performance.now();
        const busyUntil = Math.max(from, ...[...tasks, ...gaps].map(([start, ms]) => start + ms));
        const quietMs = now - globalThis.bars.ticked > 100 ? 0 : now - busyUntil;
        return {
          blockedMs: sum(tasks),
          longestMs: Math.max(0, ...tasks.map(([, ms]) => ms), ...gaps.map(([, ms]) => ms)),
          quietMs,
          shown: document.body.innerText.includes(done),
        };
      },
      [from, done],
    );
  let maxHeapMB = 0;
  for (;;) {
    const left = limitMs - (performance.now() - started);
    const looked = left <= 0 ? undefined : Promise.race([Promise.all([look(), metricsOf(cdp)]), failed]);
    const seen = await within(left, looked, undefined);
    if (seen === undefined) return { finished: false, limitMs, maxHeapMB };
    const [{ quietMs, shown, ...rest }, { heapMB, nodes, cpuMs }] = seen;
    maxHeapMB = Math.max(maxHeapMB, heapMB);
    if (shown && quietMs > QUIET_MS) {
      const wallMs = performance.now() - started - QUIET_MS;
      return { finished: true, ...rest, cpuMs: cpuMs - before.cpuMs, wallMs, maxHeapMB, nodes };
    }
    await wait(250);
  }
}

/** Installs packages into an empty folder with an empty cache. */
export function install(...specs) {
  return withFolder(async (folder) => {
    await mkdir(join(folder, 'at'));
    await writeFile(join(folder, 'at/package.json'), '{ "private": true }');
    const args = ['install', '--no-audit', '--no-fund', `--cache=${join(folder, 'cache')}`, ...specs];
    const started = performance.now();
    await run('npm', args, { cwd: join(folder, 'at'), shell: process.platform === 'win32' });
    const seconds = (performance.now() - started) / 1_000;
    const entries = await readdir(join(folder, 'at/node_modules'), { recursive: true, withFileTypes: true });
    let files = 0;
    let bytes = 0;
    let onDisk = 0;
    const packages = new Set();
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.name === 'package.json' && /node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+$/.test(entry.parentPath))
        packages.add(path);
      if (!entry.isFile()) continue;
      const { size, blocks } = await stat(path);
      files++;
      bytes += size;
      onDisk += blocks * 512;
    }
    const MB = (value) => value / 1_000_000;
    return { seconds, packages: packages.size, files, MB: MB(bytes), onDiskMB: MB(onDisk) };
  });
}
