import { type Workbench, WorkbenchError } from './contract.ts';
import { LiveServers } from './live-servers.ts';
import type { LogLevel } from './log-level.ts';
import { readApp } from './read-app.ts';
import { readScript } from './script.ts';
import type { WorkbenchOptions } from './workbench-options.ts';

/** An unusable file of the user is not an internal error: the page shows what is wrong with it. */
function unusable(error: unknown): never {
  const { name, message, fix } = error as Error & { readonly fix?: string };
  if (name === 'SurfaceError' || name === 'TestFileError') throw new WorkbenchError('bad-request', message, fix);
  throw error;
}

/**
 * Creates a workbench without a page. `openInspector` uses one.
 *
 * @example
 * ```ts
 * import { createTraceStore, createWorkbench } from '@tenon/inspector';
 *
 * const store = createTraceStore('weather.mcptrace', 'my tool 1.0');
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const workbench = createWorkbench({ store, targets: [target], by: 'my tool 1.0' });
 * const { status, problem } = await workbench.connect('weather');
 * console.error(status, problem?.message);
 * await workbench.close();
 * ```
 */
export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { store } = options;
  const servers = new LiveServers(options);
  const { inbox } = servers;
  return {
    trace: store,
    state: () => servers.state(),
    watch: (listener) => servers.watch(listener),
    async connect(id, { revision } = {}) {
      const server = servers.serverOf(id);
      await server.connect(revision);
      return server.view();
    },
    disconnect: (id) => servers.serverOf(id).disconnect(),
    list: (id, kind) => servers.serverOf(id).list(kind),
    refresh: (id) => servers.serverOf(id).refresh(),
    request: (id, body) => servers.serverOf(id).request(body),
    answerTo: (id, key) => servers.serverOf(id).requests.answer(key),
    cancel: (id, key) => servers.serverOf(id).requests.cancel(key),
    async frame(id, text) {
      const { frame, recorder } = servers.serverOf(id).connected;
      const before = store.index.length;
      await frame(text);
      const sent = store.index.all
        .slice(before)
        .find(({ session, from }) => session === recorder.session && from === 'client');
      return { line: sent?.n ?? before + 1 };
    },
    async complete(id, { ref, argument, typed, resolved }) {
      const { client } = servers.serverOf(id).connected;
      const { values, hasMore = false } = await client.complete(ref, { argument, value: typed, resolved });
      return { values, hasMore };
    },
    readApp: (id, uri) => readApp(servers.serverOf(id), uri),
    watchResource: (id, uri, on) => servers.serverOf(id).watch(uri, on),
    async setLogLevel(id, level) {
      await servers.serverOf(id).setLogLevel(level as LogLevel);
    },
    setRoots: (id, roots, ask) => servers.serverOf(id).setRoots(roots, ask),
    inbox: () => inbox.items,
    answer: (item, answer) => inbox.answer(item, answer),
    setScript(text) {
      inbox.script = readScript(text);
      servers.tell({ type: 'script', text });
    },
    auth: (id) => servers.loginFlowOf(id).view(),
    setPausing: (id, pausing) => servers.loginFlowOf(id).setPausing(pausing),
    release: (id, hop) => servers.loginFlowOf(id).release(hop),
    async login(id) {
      await servers.loginFlowOf(id).forget();
      await servers.serverOf(id).connect(undefined);
    },
    forgetLogin: (id) => servers.loginFlowOf(id).forget(),
    async check(body, signal) {
      if (options.check === undefined) throw new WorkbenchError('failed', 'Nothing can be checked here');
      return options.check(servers.serverOf(body.server).target, body, signal).catch(unusable);
    },
    async saveTest(body) {
      if (options.saveTest === undefined) throw new WorkbenchError('failed', 'Tests cannot be kept here');
      return options.saveTest(servers.serverOf(body.server).target, body, store).catch(unusable);
    },
    addTargets: (text) => servers.addTargets(text),
    changeLaunch: (id, body) => servers.changeLaunch(id, body),
    setViewers: (count) => servers.setViewers(count),
    close: () => servers.close(),
  };
}
