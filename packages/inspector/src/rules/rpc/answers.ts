import { CODE } from 'tenon/internal';
import { errorOf } from '../message.ts';
import { methodOf, PATIENT } from '../methods.ts';
import { isModern, MODERN_CODES } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { duration, quoted, shown } from '../words.ts';

const BOTH = ['server', 'client'] as const;

export const responseShape: Rule = {
  id: 'response-shape',
  title: 'An answer has both result and error, or a result that is not an object',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever answered.',
  page: 'messages#responses',
  watch: (report) => ({
    response({ value, from, n, request }) {
      const failed = Object.hasOwn(value, 'error');
      const both = failed && Object.hasOwn(value, 'result');
      if (!both && (failed || isObject(value['result']))) return;
      const to = request === undefined ? '' : ` to ${request.method}`;
      report({
        severity: 'error',
        blame: from,
        message: both
          ? `The answer of the ${from}${to} has a result and an error`
          : `The result of the ${from}${to} is ${quoted(value['result'])}, not an object`,
        fix: both ? 'Send one of the two.' : 'A result is an object; an empty one where there is nothing to say.',
        evidence: request === undefined ? [n] : [request.n, n],
      });
    },
  }),
};

export const errorShape: Rule = {
  id: 'error-shape',
  title: 'An error without a code or a message',
  blame: BOTH,
  severity: ['error'],
  why: 'Whoever answered: an error has a whole number as its code, and a message.',
  page: 'messages#responses',
  watch: (report) => ({
    response({ value, from, n }) {
      if (!Object.hasOwn(value, 'error')) return;
      const error = value['error'];
      const problem = !isObject(error)
        ? `is ${quoted(error)}, not an object`
        : !Number.isInteger(error['code'])
          ? `has the code ${quoted(error['code'])}, not a whole number`
          : typeof error['message'] !== 'string'
            ? `has the message ${quoted(error['message'])}, not text`
            : undefined;
      if (problem === undefined) return;
      report({
        severity: 'error',
        blame: from,
        message: `An error of the ${from} ${problem}`,
        fix: 'Send { "code": -32603, "message": "…" }, with further details in "data".',
        evidence: [n],
      });
    },
  }),
};

/** The problem with an error code in 2026-07-28, if any. */
function codeProblem(code: number, data: unknown): readonly ['error' | 'info', string] | undefined {
  if (code === CODE.resourceNotFound) return ['error', 'is no longer used: an unknown resource is -32602'];
  if (code === CODE.urlElicitationRequired)
    return ['error', 'is no longer used: a server asks in the result (input_required)'];
  if (code <= -32_020 && code >= -32_099 && !MODERN_CODES.has(code))
    return ['error', 'is reserved, and has no meaning yet'];
  if (code <= -32_000 && code >= -32_019) return ['info', 'is of a range that new programs should not use'];
  if (code === CODE.unsupportedVersion && !(isObject(data) && Array.isArray(data['supported'])))
    return ['error', 'needs data.supported, a list of the versions that are supported'];
  if (code === CODE.missingCapability && !(isObject(data) && isObject(data['requiredCapabilities'])))
    return ['error', 'needs data.requiredCapabilities, an object like the capabilities of a client'];
  return undefined;
}

export const errorCode: Rule = {
  id: 'error-code',
  title: 'A code of an error that 2026-07-28 does not have, or without its data',
  blame: ['server'],
  severity: ['error', 'info'],
  why: 'Only servers answer in 2026-07-28. Servers that have not shown that they support it are not judged.',
  page: 'messages#error-codes',
  watch: (report, session) => ({
    response(response) {
      const { request, from, n, revision } = response;
      if (from !== 'server' || !isModern(request?.revision) || !session.provenModern) return;
      const error = errorOf(response);
      const code = error?.['code'];
      if (typeof code !== 'number') return;
      const problem = codeProblem(code, error?.['data']);
      if (problem === undefined) return;
      report({
        severity: problem[0],
        blame: 'server',
        message: `The error ${code} that answers ${request!.method} ${problem[1]}`,
        fix: 'Codes of your own lie outside -32768 to -32000.',
        evidence: [request!.n, n],
        revision,
      });
    },
  }),
};

export const unknownMethod: Rule = {
  id: 'unknown-method',
  title: 'A method that the protocol does not have was answered with a result',
  blame: ['unknown'],
  severity: ['info'],
  why: 'It may be an extension that both sides know, or a server that answers anything.',
  page: 'messages',
  watch: (report, session) => ({
    response({ request, from, n, value }) {
      if (request === undefined || !Object.hasOwn(value, 'result')) return;
      if (methodOf('request', request.method) !== undefined) return;
      const declared = from === 'server' ? session.serverCapabilities : session.clientCapabilities;
      if (declared?.['extensions'] !== undefined || declared?.['experimental'] !== undefined) return;
      report({
        severity: 'info',
        blame: 'unknown',
        message: `${shown(request.method)} is not a method of the protocol, and the ${from} answered it with a result`,
        fix: 'Declare extensions in the capabilities. Answer unknown methods with the error -32601.',
        evidence: [request.n, n],
      });
    },
  }),
};

/** A shorter wait is not reported: the trace just ended. */
const SHORT_MS = 1_000;
const LONG_MS = 5_000;

export const neverAnswered: Rule = {
  id: 'never-answered',
  title: 'A request had no answer when the trace ended',
  blame: ['unknown'],
  severity: ['warning', 'info'],
  why: 'It had no answer by the end of the trace, which does not say whether the other side is slow, stuck or gone.',
  page: 'messages#requests',
  watch: (report, session) => {
    let over = false;
    let refused = 0;
    return {
      anew() {
        over = false;
      },
      line({ line }) {
        if (line.kind === 'exit') over = true;
        if (line.kind === 'open') over = false;
        if (line.kind === 'http' && ((line.http?.status ?? 0) >= 400 || line.http?.part === 'end')) refused = line.n;
      },
      end() {
        if (over || session.closed !== undefined) return;
        for (const side of BOTH) {
          for (const { n, at, method, generation, cancelledAt, from } of session.waiting[side].values()) {
            const waited = session.until - at;
            if (waited < SHORT_MS || cancelledAt !== undefined || generation !== session.generation) continue;
            // Over HTTP the status, or the end of the answer, may be all there was.
            if (PATIENT.has(method) || refused > n) continue;
            report({
              severity: waited < LONG_MS ? 'info' : 'warning',
              blame: 'unknown',
              message: `${method} of the ${from} waited ${duration(waited)} and had no answer when the trace ended`,
              fix: 'Look at the activity of the other side meanwhile. Give requests a time limit, and answer each of them.',
              evidence: [n],
            });
          }
        }
      },
    };
  },
};
