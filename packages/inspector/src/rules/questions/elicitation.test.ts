import { answer, ask, cases, handshake, modern, refuse, stdio } from '../fixtures/traces.ts';

const schema = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] };
function asked(params: object, revision: '2025-11-25' | '2025-06-18' = '2025-11-25') {
  return [stdio, handshake(revision), ask(1, 'elicitation/create', params as Record<string, unknown>, 'server')];
}
function form(properties: object) {
  return { message: 'Who?', requestedSchema: { type: 'object', properties } };
}
const server = { blame: 'server', severity: 'error' } as const;
const several = { pets: { type: 'array', items: { type: 'string', enum: ['cat', 'dog'] } } };

cases('elicit-shape', {
  broken: {
    'a question without words': {
      ...server,
      trace: asked({ requestedSchema: schema }),
      says: /A question of the server has no message/,
      cites: ['elicitation/create'],
    },
    'no form': { ...server, trace: asked({ message: 'Who?' }), says: /has no requestedSchema/ },
    'a form that is not an object': {
      ...server,
      trace: asked({ message: 'Who?', requestedSchema: { type: 'string' } }),
      says: /not an object with properties/,
    },
    'an object in an object': {
      ...server,
      trace: asked(form({ name: { type: 'object' }, age: { type: 'integer' } })),
      says: /nor a choice: name/,
    },
    'several choices before there were some': {
      ...server,
      trace: asked(form(several), '2025-06-18'),
      says: /pets/,
      clause: /2025-06-18\/client\/elicitation/,
    },
    'a page without an address': {
      ...server,
      trace: asked({ mode: 'url', message: 'Go', url: 'nowhere' }),
      says: /the address "nowhere", which is not a URL/,
    },
    'a page without an id, where it has one': {
      ...server,
      trace: asked({ mode: 'url', message: 'Go', url: 'https://a.example/' }),
      says: /has no elicitationId/,
    },
    'a question in a result': {
      ...server,
      trace: [
        stdio,
        modern(1, 'tools/call', { name: 'x' }),
        answer(1, { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create', params: {} } } }),
      ],
      says: /has no message/,
    },
  },
  kept: {
    'a form': asked(
      form({ name: { type: 'string' }, tall: { type: 'boolean' }, plan: { enum: ['a', 'b'] }, ...several }),
    ),
    'a page': asked({ mode: 'url', message: 'Go', url: 'https://a.example/x', elicitationId: '1' }),
  },
});

function said(result: object, params: object = { message: 'Who?', requestedSchema: schema }) {
  return [...asked(params), answer(1, result, 'client')];
}

cases('elicit-answer', {
  broken: {
    'content that does not fit': {
      blame: 'client',
      severity: 'warning',
      trace: said({ action: 'accept', content: { age: -1 } }),
      says: /does not fit the form: age: must be >= 0/,
      cites: ['elicitation/create', 'accept'],
    },
    'no content': {
      blame: 'client',
      severity: 'error',
      trace: said({ action: 'accept' }),
      says: /accepts a form without content/,
    },
    'an action that does not exist': {
      blame: 'client',
      severity: 'error',
      trace: said({ action: 'ok' }),
      says: /the action "ok"/,
    },
    'an answer in a request': {
      blame: 'client',
      severity: 'warning',
      trace: [
        stdio,
        modern(1, 'tools/call', { name: 'x' }),
        answer(1, {
          resultType: 'input_required',
          inputRequests: { q: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: schema } } },
        }),
        modern(2, 'tools/call', { name: 'x', inputResponses: { q: { action: 'accept', content: {} } } }),
      ],
      says: /does not fit the form/,
    },
  },
  kept: {
    'content that fits': said({ action: 'accept', content: { age: 36 } }),
    'a user who declines': said({ action: 'decline' }),
    'a page that was visited': said({ action: 'accept' }, { mode: 'url', message: 'Go', url: 'https://a.example/' }),
    'an error': [...asked({ message: 'Who?', requestedSchema: schema }), refuse(1, -32_603, 'No', undefined, 'client')],
  },
});
