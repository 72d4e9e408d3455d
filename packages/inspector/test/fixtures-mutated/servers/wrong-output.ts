// Promises an output schema and breaks it, in results that claim to be successes.
import { serveRaw, text, toolMethods, usual } from '../raw.ts';

const outputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'number' } },
  required: ['city', 'celsius'],
};
const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const tools = [
  {
    name: 'forecast',
    description: 'Gives a text where a number is promised',
    inputSchema,
    outputSchema,
    run: ({ city }: { city?: string }) => ({ ...text('warm'), structuredContent: { city, celsius: 'warm' } }),
  },
  {
    name: 'missing',
    description: 'Gives no structured content at all',
    inputSchema,
    outputSchema,
    run: () => text('21 °C'),
  },
  {
    name: 'right',
    description: 'Gives what it promises',
    inputSchema,
    outputSchema,
    run: ({ city }: { city?: string }) => ({ ...text('21'), structuredContent: { city, celsius: 21 } }),
  },
];

serveRaw([...usual({ info: { name: 'wrong-output', version: '1.0.0' } }), ...toolMethods(tools)]);
