// A server in this process that answers what a test wants it to answer, right or wrong.
import type { Target } from 'tenon/client';
import { agreesOn, memoryPair, type Script, type ScriptedPeer, scriptedPeer } from 'tenon/testing';

/** What a scripted server shows. It is read at each request, so a test may change it while the server runs. */
export interface Shown {
  tools?: readonly unknown[];
  prompts?: readonly unknown[];
  resources?: readonly unknown[];
  instructions?: unknown;
  serverInfo?: unknown;
  capabilities?: unknown;
}

export interface Peer {
  readonly target: Target;
  readonly shown: Shown;
  /** The connections so far, the newest last. */
  readonly connections: readonly ScriptedPeer[];
}

/** `script`: what it answers besides, or instead. A connection that is opened again finds the server as it is then. */
export const peerWith = (shown: Shown, script: Script = {}): Peer => {
  const connections: ScriptedPeer[] = [];
  const { initialize: _initialize, ...rest } = agreesOn('2025-11-25');
  const open = () => {
    const [near, far] = memoryPair();
    const { instructions, serverInfo = { name: 'scripted', version: '1.0.0' } } = shown;
    const capabilities = shown.capabilities ?? {
      tools: { listChanged: true },
      ...(shown.prompts === undefined ? {} : { prompts: {} }),
      ...(shown.resources === undefined ? {} : { resources: {} }),
    };
    const answers: Script = {
      initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions },
      'tools/list': () => ({ tools: shown.tools ?? [] }),
      'prompts/list': () => ({ prompts: shown.prompts ?? [] }),
      'resources/list': () => ({ resources: shown.resources ?? [] }),
      'resources/templates/list': { resourceTemplates: [] },
      'tools/call': { content: [{ type: 'text', text: 'done' }], structuredContent: { a: 1 } },
    };
    connections.push(scriptedPeer(far, { ...rest, ...answers, ...script }));
    return near;
  };
  return { target: { open }, shown, connections };
};

/** A tool as a scripted server lists it. */
export const listedTool = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  ...more,
});
