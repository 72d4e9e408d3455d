// Definitions that are invalid.
import { serveFetch } from '../../src/entries/http.ts';
import { prompt, type Server, server, tool, type Tool } from '../../src/entries/index.ts';
import { parseTemplate } from '../../src/entries/schema.ts';
import { provoke } from '../../../../scripts/lib/error-codes.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';

function withTool(one: Tool): Server {
  return server({ name: 'invalid', version: '1', tools: { one } });
}

const type = 'object';

provoke<ErrorCode<'DefinitionError'>>('DefinitionError', {
  'no-name': () => server({ name: '', version: '1' }),
  'invalid-definition': () => withTool(prompt({}, () => 'not a tool') as never),
  'invalid-template': () => parseTemplate('note://{'),
  'scopes-without-auth': () => serveFetch(withTool(tool({ scopes: ['notes'] }, () => 'Done'))),
  'invalid-header-parameter': () => {
    const input = { type, properties: { list: { type: 'array', 'x-mcp-header': 'List' } } } as const;
    return serveFetch(withTool(tool({ input }, () => 'Done')));
  },
});
