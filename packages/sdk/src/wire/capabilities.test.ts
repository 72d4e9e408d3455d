import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
import { featuresOf, type Revision, REVISIONS } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { encodeClientCapabilities, encodeServerCapabilities } from './capabilities.ts';

const UI = 'io.modelcontextprotocol/ui';
const extensions = { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] }, 'com.example/own': {} };

const CLIENT: ClientCapabilities = frozen({
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  experimental: { x: {} },
});

const CLIENT_AS: Readonly<Record<Revision, object>> = {
  '2024-11-05': { roots: { listChanged: true }, sampling: {}, experimental: { x: {} } },
  '2025-03-26': { roots: { listChanged: true }, sampling: {}, experimental: { x: {} } },
  '2025-06-18': { roots: { listChanged: true }, sampling: {}, experimental: { x: {} }, elicitation: {} },
  '2025-11-25': CLIENT,
  '2026-07-28': { ...CLIENT, roots: {} },
};

const SERVER: ServerCapabilities = frozen({
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  logging: {},
});

for (const revision of REVISIONS) {
  const features = featuresOf(revision);

  test(`${revision}: a client declares the capabilities that the revision has`, () => {
    assert.deepEqual(encodeClientCapabilities(CLIENT, revision), CLIENT_AS[revision]);
  });

  test(`[ELIC-3] ${revision}: elicitation {} means forms; a client with URLs only does not declare forms`, () => {
    const either =
      features.elicitation === 'none'
        ? {}
        : features.elicitation === 'form'
          ? { elicitation: {} }
          : { elicitation: { form: {} } };
    assert.deepEqual(asSent(encodeClientCapabilities(frozen({ elicitation: {} }), revision)), either);
    const url = features.elicitation === 'full' ? { elicitation: { url: {} } } : {};
    assert.deepEqual(asSent(encodeClientCapabilities(frozen({ elicitation: { url: {} } }), revision)), url);
  });

  test(`${revision}: completions are declared ${features.completionsCapability ? '' : 'not, for there is no such capability'}`, () => {
    const { completions: _completions, ...rest } = SERVER;
    assert.deepEqual(encodeServerCapabilities(SERVER, revision), features.completionsCapability ? SERVER : rest);
  });

  test(`[VERS-18] ${revision}: extensions are declared ${features.extensions ? '' : 'only if they are made for this era too'}`, () => {
    const expected = features.extensions ? { extensions } : { extensions: { [UI]: extensions[UI] } };
    assert.deepEqual(encodeClientCapabilities(frozen({ extensions }), revision), expected);
    assert.deepEqual(encodeServerCapabilities(frozen({ extensions }), revision), expected);
    const own = frozen({ extensions: { 'com.example/own': {} } });
    assert.deepEqual(encodeServerCapabilities(own, revision), features.extensions ? own : {});
  });

  test(`${revision}: empty capabilities stay empty`, () => {
    assert.deepEqual(encodeClientCapabilities(frozen({}), revision), {});
    assert.deepEqual(encodeServerCapabilities(frozen({}), revision), {});
  });
}
