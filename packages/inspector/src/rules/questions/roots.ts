import { resultFor } from '../message.ts';
import { isModern } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { listOf, objectOf, quoted } from '../words.ts';

export const rootUri: Rule = {
  id: 'root-uri',
  title: 'A root is not a file URI',
  blame: ['client'],
  severity: ['error'],
  why: 'The client sends its roots; each is a file:// URI.',
  page: 'roots#root',
  watch: (report) => {
    const look = (roots: unknown, evidence: number[]): void => {
      const strange = listOf(roots).find((root) => !String(objectOf(root)['uri']).startsWith('file://'));
      if (strange === undefined) return;
      report({
        severity: 'error',
        blame: 'client',
        message: `The client tells the root ${quoted(objectOf(strange)['uri'])}`,
        fix: 'Write folders as file:// URIs: pathToFileURL(folder).href.',
        evidence,
      });
    };
    return {
      response(response) {
        const result = response.from === 'client' ? resultFor(response, 'roots/list') : undefined;
        if (result !== undefined) look(result['roots'], [response.request!.n, response.n]);
      },
      request({ from, params, revision, n }) {
        if (from === 'server' || !isModern(revision)) return;
        for (const answer of Object.values(objectOf(params['inputResponses']))) look(objectOf(answer)['roots'], [n]);
      },
    };
  },
};
