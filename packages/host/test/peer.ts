// A server in this process whose responses a test defines, valid or not.
import type { Target } from 'tenon/client';
import { agreesOn, memoryPair, type Script, type ScriptedPeer, scriptedPeer } from 'tenon/testing';

/** The lists of a scripted server. They are read at each request, so a test can change them while the server runs. */
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
  /** The connections so far, in order. */
  readonly connections: readonly ScriptedPeer[];
}

/** `script`: additional or replacing responses. A new connection uses the current ones. */
export function peerWith(shown: Shown, script: Script = {}): Peer {
  const connections: ScriptedPeer[] = [];
  const { initialize: _initialize, ...rest } = agreesOn('2025-11-25');
  const open = () => {
    const [near, far] = memoryPair();
    const { instructions, serverInfo = { name: 'scripted', version: '1.0.0' } } = shown;
    const capabilities = shown.capabilities ?? {
      tools: { listChanged: true },
      prompts: shown.prompts === undefined ? undefined : {},
      resources: shown.resources === undefined ? undefined : {},
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
}

/** The entry of a tool of a scripted server. */
export function listedTool(name: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object' },
    ...more,
  };
}
