import assert from 'node:assert/strict';
import { test } from 'node:test';
import { META } from '../../protocol/meta.ts';
import { LEGACY, MODERN } from '../../protocol/revision.ts';
import { eraOf } from './era.ts';

test('the era of a message over HTTP', () => {
  const both = { modern: MODERN, legacy: LEGACY };
  const message = (method: string, version?: unknown) => ({
    method,
    meta: version === undefined ? {} : { [META.protocolVersion]: version },
  });
  const cases: readonly (readonly [message: ReturnType<typeof message>, version: string | undefined, era: string])[] = [
    [message('ping', '2026-07-28'), undefined, 'modern'],
    [message('ping', '2026-07-28'), '2025-11-25', 'modern'],
    [message('ping', '2025-11-25'), '2025-11-25', 'modern'],
    [message('initialize', '2026-07-28'), undefined, 'modern'],
    [message('ping', 5), undefined, 'modern'],
    [message('ping'), undefined, 'legacy'],
    [message('ping'), '2024-11-05', 'legacy'],
    [message('ping'), '2026-07-28', 'modern'],
    [message('initialize'), '2026-07-28', 'modern'],
    [message('initialize'), '2025-06-18', 'legacy'],
    [message('initialize'), 'v999', 'legacy'],
    [message('ping'), 'v999', 'modern'],
    [message('ping'), '', 'modern'],
    [message('server/discover'), undefined, 'legacy'],
  ];
  for (const [sent, version, era] of cases) {
    assert.equal(eraOf(sent, version, both), era, JSON.stringify([sent, version]));
    assert.equal(eraOf(sent, version, { modern: MODERN, legacy: [] }), 'modern');
    assert.equal(eraOf(sent, version, { modern: [], legacy: LEGACY }), 'legacy');
  }
  assert.equal(eraOf({ method: 'ping', meta: {} }, undefined, both), 'legacy');
});
