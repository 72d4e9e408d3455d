// What inspectors are measured with: starting, pages, the main thread of a page, processes that are left over. The same for each of them.
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

/** Does something so many times, one after the other. */
export async function times(count, act) {
  const results = [];
  for (let n = 0; n < count; n++) results.push(await act(n));
  return results;
}

/** What a promise gives, or `otherwise` if that takes longer. */
export async function within(ms, promise, otherwise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, otherwise)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A folder that is gone afterwards. */
export async function withFolder(act) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-bars-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** This machine, in one line. */
export function machine() {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}, Node ${process.version}`;
}

/**
 * Starts a command that goes on, and waits until its output has what `find` finds: `ms` after it was started. It leads a process group,
 * which `stop` ends, politely first.
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

/** Runs a command to its end. `firstMs`: when its first output came. */
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

/** The processes that have this text among their arguments. */
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

/** Runs in the page: keeps its long tasks, the longest time in which it did not react, and what is waited for with `expect`. */
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
  // Both in the page, so that what drives it is not measured.
  addEventListener('click', ({ timeStamp }) => (bars.clicked ??= bars.expected && timeStamp), true);
  new MutationObserver(() => {
    if (bars.expected === undefined || bars.seen !== undefined || bars.clicked === undefined) return;
    if (document.body.innerText.includes(bars.expected))
      requestAnimationFrame((at) => (bars.seen ??= Math.max(at, performance.now())));
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** A page of a new profile that is watched from its beginning. */
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

/** When something was painted first, in milliseconds since the page was asked for. */
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

/** Heap and DOM of a page, and the processor time that its main thread has used so far. */
export async function metricsOf(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const value = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return { heapMB: value('JSHeapUsedSize') / 1_000_000, nodes: value('Nodes'), cpuMs: value('ThreadTime') * 1_000 };
}

/** How long a page may go without a long task before it counts as quiet. */
const QUIET_MS = 2_000;

/**
 * Does something to a page, and waits until `done` is shown and the page is quiet, but not longer than `limitMs`. Gives the time in which
 * the main thread was blocked (the sum of its tasks over 50 ms), the longest of these tasks, the processor time that it used meanwhile
 * (which other programs on the machine do not change), and the largest heap that was seen.
 */
export async function blocked({ page, cdp }, act, { done, limitMs }) {
  const started = performance.now();
  const from = await page.evaluate(() => performance.now());
  const before = await metricsOf(cdp);
  // A page that is blocked does not even say that it was clicked: it is given the whole time, and what fails for another reason is told.
  page.setDefaultTimeout(limitMs * 2);
  const failed = act().then(() => new Promise(() => {}));
  failed.catch(() => {});
  const look = () =>
    page.evaluate(
      ([from, done]) => {
        const tasks = globalThis.bars.tasks.filter(([start]) => start >= from);
        const gaps = globalThis.bars.gaps.filter(([start]) => start >= from);
        const sum = (of) => of.reduce((total, [, ms]) => total + ms, 0);
        // A task, and a time without reaction, is told of after it ended: until the page has ticked again, it is not quiet.
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

/** Installs packages into an empty folder, with an empty cache. */
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
