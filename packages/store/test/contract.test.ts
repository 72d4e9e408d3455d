import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openStore } from '@tenon/store';
import { rounds } from '../../../scripts/lib/soak.ts';
import { storeContract } from '../../../scripts/lib/store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
storeContract('in SQLite', rounds(60, 2_000), async (limits) => {
  const clock = { now: 1_764_000_000_000 };
  const address = `sqlite:${join(folder, `${opened++}.db`)}`;
  return { clock, store: await openStore(address, { ...limits, now: () => clock.now }) };
});
