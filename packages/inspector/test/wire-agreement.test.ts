// Compares validation against the official schemas with another validator: on conversations with every feature, and on thousands
// of variations, of which `npm test` tries a third.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rounds, sample } from '../../../scripts/lib/soak.ts';
import { client, server, stdio, type Step } from '../src/rules/fixtures/traces.ts';
import { type Revision, revisions } from 'tenon';
import type { Rule } from '../src/rules/rule.ts';
import { wireSchemaRule } from '../src/rules/wire/fits-schema.ts';
import { officialSchema } from '../src/session/every-rule.ts';
import { began, judge, type Judged } from './judge-wire.ts';

type Json = Record<string, unknown>;

/** The fraction of variations tried in `npm test`: at least one of the five at each path. */
const STEP = 3;

// The conversations that test our own messages: every method, notification, content type and error of each revision.
function oracle(path: string): Promise<unknown> {
  return import(new URL(`../../sdk/test/oracle/${path}`, import.meta.url).href);
}
type Direction = 'client-to-server' | 'server-to-client';
interface Sent {
  readonly direction: Direction;
  readonly message: Json | Json[];
}
const { conversation } = (await oracle('corpus/conversation.ts')) as {
  conversation(revision: Revision): readonly Sent[];
};
const { checkMessage } = (await oracle('oracle.ts')) as {
  checkMessage(revision: Revision, direction: Direction, message: unknown, request?: unknown): string[];
};

function sentBy(direction: Direction, message: Json | Json[]): Step {
  return (direction === 'client-to-server' ? client : server)(message);
}

/** The request that a message answers. */
function requestOf(sent: readonly Sent[], index: number): Sent | undefined {
  const { message, direction } = sent[index]!;
  if (Array.isArray(message) || message['method'] !== undefined) return undefined;
  return sent
    .slice(0, index)
    .findLast(
      (one) => !Array.isArray(one.message) && one.direction !== direction && one.message['id'] === message['id'],
    );
}

/** Copies of a message in which one member is missing, null, or of another type. */
function* mutations(message: Json): Generator<readonly [what: string, message: Json]> {
  const places: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) places.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
  };
  for (const part of ['params', 'result', 'error']) if (Object.hasOwn(message, part)) walk(message[part], [part]);
  for (const path of places) {
    const last = path.at(-1)!;
    // The revision must not change.
    if (last.includes('protocolVersion')) continue;
    // Valid for every format, because the other validator checks formats.
    const words = last === 'data' || last === 'blob' ? 'abcd' : 'a:b';
    for (const other of [undefined, null, 7, words, {}]) {
      const copy = structuredClone(message);
      const holder = path.slice(0, -1).reduce<Json>((at, name) => at[name] as Json, copy);
      if (other === undefined) Reflect.deleteProperty(holder, last);
      else holder[last] = other;
      yield [`/${path.join('/')} ${JSON.stringify(other)}`, JSON.parse(JSON.stringify(copy)) as Json];
    }
  }
}

for (const revision of revisions) {
  it(`a conversation about everything in ${revision} fits its schema`, () => {
    const sent = conversation(revision);
    const { wire, measured, lines } = judge([
      stdio,
      ...sent.map(({ direction, message }) => sentBy(direction, message)),
    ]);
    assert.deepEqual(
      wire.map(({ message }) => message),
      [],
    );
    assert.ok(measured >= lines.length - 2, `${measured} of ${lines.length}`);
  });

  it(`another validator finds the same messages wrong in ${revision}`, () => {
    const sent = conversation(revision);
    const rule: Rule = wireSchemaRule(officialSchema);
    const rows = sent.flatMap(({ direction, message }, index) => {
      const request = requestOf(sent, index);
      const asked = request?.message as Json | undefined;
      if (Array.isArray(message) || message['method'] === 'initialize' || asked?.['method'] === 'initialize') return [];
      if (message['error'] !== undefined && asked === undefined) return [];
      const before = asked === undefined ? [] : [sentBy(request!.direction, asked)];
      // Other types of results belong to extensions, and errors are identified by their code.
      return [...mutations(message)]
        .filter(([what]) => what !== '/result/resultType "a:b"' && !/^\/error(?:\/code)? /.test(what))
        .map(([what, changed]) => ({ direction, method: message['method'], asked, before, what, changed }));
    });
    let wrong = 0;
    let right = 0;
    for (const { direction, method, asked, before, what, changed } of sample(rows, STEP)) {
      const expected = checkMessage(revision, direction, changed, asked).filter((problem) =>
        /(?:^| )must (?!match format)/.test(problem),
      );
      const { wire, all }: Judged = judge([stdio, began(revision), ...before, sentBy(direction, changed)], () => [
        rule,
      ]);
      const where: string = `${String(method ?? asked?.['method'])} ${what}: ${JSON.stringify(expected)}`;
      assert.equal(all.length, wire.length, where);
      assert.equal(wire.length > 0, expected.length > 0, `${where} ${wire.map((one) => one.message).join()}`);
      for (const { blame } of wire) assert.equal(blame, direction === 'client-to-server' ? 'client' : 'server', where);
      if (expected.length > 0) wrong++;
      else right++;
    }
    assert.ok(wrong > rounds(300, 1_000) && right > rounds(90, 300), `${wrong} wrong, ${right} right`);
  });
}
