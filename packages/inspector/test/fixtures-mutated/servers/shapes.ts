// Tools whose inputs have the shapes that forms fail at. Each says whether what it was given fits, and shows it as it came: numbers too.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type RawTool, serveRaw, toolMethods, usual } from '../raw.ts';

const address = {
  type: 'object',
  properties: { street: { type: 'string' }, zip: { type: 'string', pattern: '^[0-9]{5}$' } },
  required: ['street', 'zip'],
};

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

const shapes: Record<string, { description: string; inputSchema: object }> = {
  plain: {
    description: 'A text, a number and a yes or no',
    inputSchema: object({ text: { type: 'string' }, number: { type: 'number' }, flag: { type: 'boolean' } }),
  },
  ref: {
    description: '$ref into $defs, twice',
    inputSchema: object(
      { home: { $ref: '#/$defs/address' }, work: { $ref: '#/$defs/address' } },
      { required: ['home'], $defs: { address } },
    ),
  },
  allOf: {
    description: 'allOf of two objects',
    inputSchema: object(
      {},
      {
        allOf: [
          object({ name: { type: 'string', minLength: 1 } }, { required: ['name'] }),
          object({ age: { type: 'integer', minimum: 0 } }, { required: ['age'] }),
        ],
      },
    ),
  },
  oneOf: {
    description: 'One of two objects, told apart by a constant',
    inputSchema: object(
      {
        pay: {
          oneOf: [
            object(
              { by: { const: 'card' }, number: { type: 'string' } },
              { title: 'Card', required: ['by', 'number'] },
            ),
            object(
              { by: { const: 'iban' }, iban: { type: 'string' } },
              { title: 'Transfer', required: ['by', 'iban'] },
            ),
          ],
        },
      },
      { required: ['pay'] },
    ),
  },
  recursion: {
    description: 'A tree',
    inputSchema: object(
      { tree: { $ref: '#/$defs/node' } },
      {
        required: ['tree'],
        $defs: {
          node: object(
            { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            { required: ['name'] },
          ),
        },
      },
    ),
  },
  strings: {
    description: 'A list of texts',
    inputSchema: object(
      { tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true } },
      { required: ['tags'] },
    ),
  },
  map: {
    description: 'Any names, with numbers',
    inputSchema: object(
      { prices: { type: 'object', additionalProperties: { type: 'number' }, minProperties: 1 } },
      { required: ['prices'] },
    ),
  },
  ifThen: {
    description: 'if, then and else',
    inputSchema: object(
      { kind: { enum: ['letter', 'parcel'] } },
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'parcel' } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { kilos: { type: 'number', exclusiveMinimum: 0 } }, required: ['kilos'] },
        else: { properties: { pages: { type: 'integer', minimum: 1 } }, required: ['pages'] },
      },
    ),
  },
  tuple: {
    description: 'A tuple of 2020-12: prefixItems, and nothing after them',
    inputSchema: object(
      {
        point: {
          type: 'array',
          prefixItems: [{ type: 'number' }, { type: 'number' }, { enum: ['m', 'km'] }],
          items: false,
          minItems: 3,
        },
      },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', required: ['point'] },
    ),
  },
  nullable: {
    description: 'Choices and texts that may be null',
    inputSchema: object(
      {
        colour: { type: ['string', 'null'], enum: ['red', 'green', null] },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      { required: ['colour', 'note'] },
    ),
  },
  big: {
    description: 'Integers beyond what a JavaScript number holds',
    inputSchema: object(
      {
        id: { type: 'integer', examples: [1] },
        rate: { type: 'number' },
        ids: { type: 'array', items: { type: 'integer' } },
      },
      { required: ['id'] },
    ),
  },
};

const ajv = new Ajv2020({ strict: false, allErrors: true });

const tools = Object.entries(shapes).map(([name, shape]): RawTool => {
  const check = ajv.compile(shape.inputSchema);
  return {
    name,
    ...shape,
    run(args, { line }) {
      const fits = check(args);
      const verdict = fits ? 'These arguments fit.' : `These arguments do not fit: ${ajv.errorsText(check.errors)}.`;
      const blocks = [verdict, line].map((value) => ({ type: 'text', text: value }));
      return { content: blocks, isError: !fits };
    },
  };
});

serveRaw([...usual({ info: { name: 'shapes', version: '1.0.0' } }), ...toolMethods(tools)]);
