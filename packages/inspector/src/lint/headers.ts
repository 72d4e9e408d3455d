import { mirroredParams } from 'tenon/internal';
import type { LintRule, LintSchema, RuleGroup } from './rule.ts';

type SchemaRule = LintRule<LintSchema>;

const ANNOTATION = 'x-mcp-header';
const SINCE = '2026-07-28';

/** Most schemas have none, so the rules return early. */
function hasOne({ nodes }: LintSchema): boolean {
  return nodes.some(({ schema }) => Object.hasOwn(schema, ANNOTATION));
}

const unusable: SchemaRule = {
  id: 'mcp-header',
  title:
    'An `x-mcp-header` that is not a header name, is used twice, or is not on a string, integer or boolean reached through `properties` only',
  why: 'Clients over HTTP must leave the whole tool out of the list.',
  severity: 'error',
  clause: { page: 'tools#x-mcp-header', since: SINCE },
  see(of, { revision }, report) {
    if (of.role !== 'input' || revision < SINCE || !hasOne(of)) return;
    const found = mirroredParams(of.schema);
    if ('problem' in found)
      report(found.problem, {
        at: of.nodes.find(({ schema }) => Object.hasOwn(schema, ANNOTATION))!.at,
        fix: 'Write it as in "x-mcp-header": "Region", on an argument that is a text, an integer or a boolean.',
      });
  },
};

const SENSITIVE =
  /pass(?:word|wd|phrase)|secret|token|api_?key|credential|private_?key|ssn|authorization|card_?number|cvv/i;

const secret: SchemaRule = {
  id: 'mcp-header-secret',
  title: 'An `x-mcp-header` on an argument that looks like a secret',
  why: 'Everything between client and server can read and log headers.',
  severity: 'warning',
  clause: { page: 'tools#x-mcp-header', since: SINCE },
  see(of, { revision }, report) {
    if (of.role !== 'input' || revision < SINCE || !hasOne(of)) return;
    for (const { schema, name, at } of of.nodes)
      if (Object.hasOwn(schema, ANNOTATION) && name !== undefined && SENSITIVE.test(name))
        report('An argument that looks like a secret is repeated in a header', {
          at,
          fix: 'Remove the annotation.',
        });
  },
};

const asked: SchemaRule = {
  id: 'argument-secret',
  title: 'An argument that asks for a password, a key or a token',
  why: 'Values from a model are in its context, in logs and in the history of the host.',
  severity: 'info',
  see({ role, nodes }, _context, report) {
    if (role !== 'input') return;
    for (const { name, at, schema } of nodes)
      if (name !== undefined && ASKS.test(name) && (schema['type'] === 'string' || schema['type'] === undefined))
        report('The argument looks like a secret', {
          at,
          fix: 'Take it from the configuration of the server, or ask for it with URL elicitation.',
        });
  },
};
/** Narrower than secret names elsewhere: `token` alone is often a page token, and `max_tokens` a number. */
const ASKS =
  /^(?:.{0,30}[_-])?(?:password|passwd|passphrase|api_?key|apiKey|access_?token|accessToken|auth_?token|client_?secret|secret_?key|private_?key)$/i;

export const headerRules: RuleGroup = { schema: [unusable, secret, asked] };
