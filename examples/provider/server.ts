// Tools from a table: every tenant has its own, and sees no others. Rows may change while the server runs.
// The tenant is the principal of the connection; over stdio it is the one that the process was started for.
// Serve it:  TENANT=north node examples/provider/server.ts
import { type Provider, server, type Tool, tool } from 'tenon';
import { serveStdio } from 'tenon/node';

/** A saved report. A real server would use a database table. */
export interface Report {
  readonly tenant: string;
  readonly name: string;
  readonly description: string;
  /** The text, with `{year}` as placeholder. */
  readonly text: string;
}

const rows = new Map<string, Report>();
function keyOf(tenant: string, name: string): string {
  return JSON.stringify([tenant, name]);
}

/** Notifies clients that the list of tools has changed. */
let announce: Parameters<NonNullable<Provider['start']>>[0] = () => {};

export function save(row: Report): void {
  rows.set(keyOf(row.tenant, row.name), row);
  announce({ list: 'tools' });
}

export function remove(tenant: string, name: string): void {
  if (rows.delete(keyOf(tenant, name))) announce({ list: 'tools' });
}

// Reuse the tool object of a row, because each object is compiled once.
const tools = new WeakMap<Report, Tool>();
function toolOf(row: Report): Tool {
  const known = tools.get(row);
  if (known !== undefined) return known;
  const input = {
    type: 'object',
    properties: { year: { type: 'integer', minimum: 2000 } },
    required: ['year'],
  } as const;
  const made = tool({ description: row.description, input, readOnly: true }, ({ year }) =>
    row.text.replaceAll('{year}', String(year)),
  );
  tools.set(row, made);
  return made;
}

const reports: Provider = {
  tools: {
    list: ({ principal }) =>
      [...rows.values()].filter(({ tenant }) => tenant === principal?.id).map((row) => [row.name, toolOf(row)]),
    get: (name, { principal }) => {
      const row = principal === undefined ? undefined : rows.get(keyOf(principal.id, name));
      return row === undefined ? undefined : toolOf(row);
    },
  },
  start: (given) => {
    announce = given;
  },
};

const app = server({ name: 'reports', version: '1.0.0', providers: [reports] });
export default app;

save({ tenant: 'north', name: 'sales', description: 'Sales of a year', text: 'North sold 1200 tables in {year}.' });
save({ tenant: 'south', name: 'sales', description: 'Sales of a year', text: 'South sold 300 chairs in {year}.' });
save({ tenant: 'south', name: 'returns', description: 'Returns of a year', text: '7 chairs came back in {year}.' });

if (process.argv[1] === import.meta.filename) {
  const tenant = process.env['TENANT'];
  await serveStdio(app, tenant === undefined ? {} : { principal: { id: tenant } });
}
