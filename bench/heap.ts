// What a server keeps: of a session that is idle, and of calls that have ended.
import { begin } from './http-wire.ts';
import { driveHttp, type HttpLoad, startHttp } from './http.ts';

/** What an idle session costs a server, bytes of its heap. */
export async function heapPerSession(
  load: Pick<HttpLoad, 'server' | 'node' | 'tools'> & { readonly sessions: number },
): Promise<number> {
  const { child, port } = await startHttp({ ...load, era: 'session', call: 'echo' });
  try {
    const enough = Math.min(200, load.sessions);
    for (let index = 0; index < enough; index++) await begin(port);
    const before = await child.heap();
    for (let index = 0; index < load.sessions; index++) await begin(port);
    return ((await child.heap()) - before) / load.sessions;
  } finally {
    child.kill();
  }
}

/** What a server keeps of a modern call, bytes of its heap. */
export async function heapPerCall(
  load: Pick<HttpLoad, 'server' | 'node'> & { readonly calls: number },
): Promise<number> {
  const { calls } = load;
  const whole: HttpLoad = { ...load, era: 'modern', call: 'echo', tools: 4, connections: 64, warmUp: calls };
  const { child, port } = await startHttp(whole);
  try {
    const driver = await driveHttp(whole, port);
    await driver.run(whole.warmUp);
    const before = await child.heap();
    await driver.run(calls);
    const kept = ((await child.heap()) - before) / calls;
    driver.close();
    return kept;
  } finally {
    child.kill();
  }
}
