import { type CallContext, reply, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { escapeHidden, hiddenInText } from '@tenon/values/hidden';
import type { Database } from './database.ts';
import { PARAMETERS } from './parameters.ts';
import { checkCreatesTable, checkWrites, destructionBy, parseStatement, type Statement } from './statement.ts';
import { SqlError } from './tokens.ts';

export const QUERY = z.string().min(1).max(100_000);
const WRITES = { readOnly: false, destructive: true, idempotent: false, openWorld: false } as const;
/** How much of a statement the user is shown, in characters. */
const MAX_SHOWN = 1_000;

/** Parses a query. `check` throws if the tool does not run it. */
export function parse(query: string, parameters: number, check: (statement: Statement) => void): Statement {
  try {
    const statement = parseStatement(query, parameters);
    check(statement);
    return statement;
  } catch (error) {
    if (error instanceof SqlError) throw new ToolError(error.message);
    throw error;
  }
}

/** Asks the user about a statement that destroys something, if the client can. */
async function confirmDestruction(statement: Statement, ctx: CallContext): Promise<void> {
  const what = destructionBy(statement);
  if (what === undefined || !ctx.client.can('elicitation')) return;
  // The user sees what SQLite would see.
  const sql = escapeHidden(statement.sql, hiddenInText());
  const shown = sql.length > MAX_SHOWN ? `${sql.slice(0, MAX_SHOWN)}… (${sql.length} characters)` : sql;
  const sure = z.object({ run: z.boolean().default(true).describe('Run it?') });
  const { run } = await ctx.ask('run', `This statement ${what}. Run it?\n\n${shown}`, sure);
  if (!run) throw new ToolError('Nothing was changed: the user declined');
}

/** The tools that change the database. */
export function writeTools(database: Database, confirm: boolean) {
  return {
    write_query: tool(
      {
        title: 'Write Query',
        description:
          'Execute an INSERT, UPDATE, or DELETE query on the SQLite database, or change its schema with CREATE, DROP or ALTER. One statement in a call, each a transaction of its own.',
        input: z.object({ query: QUERY.describe('SQL query to execute'), params: PARAMETERS }),
        output: z.object({ affected_rows: z.number() }),
        ...WRITES,
      },
      async ({ query, params }, ctx) => {
        const statement = parse(query, params.length, checkWrites);
        if (confirm) await confirmDestruction(statement, ctx);
        const affected_rows = await database.write({ sql: statement.sql, params }, ctx.signal);
        return reply({
          content: [{ type: 'text', text: JSON.stringify({ affected_rows }) }],
          structuredContent: { affected_rows },
        });
      },
    ),
    create_table: tool(
      {
        title: 'Create Table',
        description: 'Create a new table in the SQLite database',
        input: z.object({ query: QUERY.describe('CREATE TABLE SQL statement') }),
        ...WRITES,
      },
      async ({ query }, ctx) => {
        await database.write({ sql: parse(query, 0, checkCreatesTable).sql, params: [] }, ctx.signal);
        return 'Table created successfully';
      },
    ),
  };
}
