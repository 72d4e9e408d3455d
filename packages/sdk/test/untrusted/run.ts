// Runs tables in its own process, and prints the results. Usage:
// node --unhandled-rejections=strict run.ts <group> [run every n-th case, default 1]
import { authorization } from './authorization.ts';
import { verification } from './guarding.ts';
import { httpOfClients } from './http-of-clients.ts';
import { httpOfServers } from './http-of-servers.ts';
import { messagesOfClients } from './messages-of-clients.ts';
import { messagesOfServers } from './messages-of-servers.ts';
import { type Report, runTable } from './report.ts';

type Table = (report: Report) => Promise<void>;

const GROUPS: Readonly<Record<string, readonly Table[]>> = {
  'messages of servers to a client': [
    messagesOfServers('2025-11-25', 'memory'),
    messagesOfServers('2026-07-28', 'memory'),
    messagesOfServers('2025-11-25', 'http'),
    messagesOfServers('2026-07-28', 'http'),
    httpOfServers('node:http'),
    httpOfServers('fetch'),
  ],
  'messages of clients to a server': [
    messagesOfClients('2025-11-25', 'memory'),
    messagesOfClients('2026-07-28', 'memory'),
    messagesOfClients('2025-11-25', 'http'),
    messagesOfClients('2026-07-28', 'http'),
    httpOfClients,
  ],
  'authorization data': [authorization, verification],
};

const group = GROUPS[process.argv[2] ?? ''];
if (group === undefined) throw new Error(`There is no such group; there are: ${Object.keys(GROUPS).join(' | ')}`);
const outcome = await runTable(
  async (report) => {
    for (const table of group) await table(report);
  },
  Number(process.argv[3] ?? 1),
);
process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
