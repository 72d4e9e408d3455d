import type { Client } from '../client/types.ts';
import { connect, type ConnectOptions } from '../open/connect.ts';
import { memoryPair } from '../transport/memory.ts';
import { type Script, type ScriptedPeer, scriptedPeer } from './scripted-peer.ts';

/**
 * Connects a client in memory to a server that follows a script.
 *
 * @example
 * ```ts
 * import { agreesOn, connectScripted } from 'tenon/testing';
 *
 * const { client, peer } = await connectScripted({ ...agreesOn('2025-06-18', { capabilities: { tools: {} } }), 'tools/call': { content: [] } });
 * await client.call('anything');
 * console.log(peer.calls('tools/call').length); // 1
 * ```
 */
export async function connectScripted(
  script: Script,
  options?: ConnectOptions,
): Promise<{ client: Client; peer: ScriptedPeer }> {
  const [near, far] = memoryPair();
  const peer = scriptedPeer(far, script);
  return { client: await connect(near, options), peer };
}
