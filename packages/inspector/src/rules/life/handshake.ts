import { claimOf, type Request, resultOf } from '../message.ts';
import { isOf } from '../methods.ts';
import { isLegacy, isModern, isRevision, NEWEST_LEGACY } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, listed, quoted } from '../words.ts';

/** Returns whether this request belongs to a revision with a handshake. */
function ofHandshake({ revision, meta, method }: Request, modern: boolean): boolean {
  return !isModern(revision) && claimOf(meta) === undefined && !modern && isOf('request', method, NEWEST_LEGACY);
}

export const initializeFirst: Rule = {
  id: 'initialize-first',
  title: 'A request came before the handshake was done',
  blame: ['client', 'server'],
  severity: ['error', 'warning'],
  why: 'Whoever sent it. Up to 2025-11-25 initialize comes first; until it is answered, only pings do.',
  page: 'lifecycle#initialization',
  watch: (report, session) => {
    let reported = false;
    return {
      anew() {
        reported = false;
      },
      request(request) {
        const { from, method, n } = request;
        if (reported || method === 'ping' || method === 'initialize' || !ofHandshake(request, session.modern)) return;
        const { handshake } = session;
        if (handshake === 'ready' || (from === 'client' && handshake === 'answered')) return;
        reported = true;
        const without = from === 'client' && handshake === 'none';
        report({
          severity: without ? 'error' : 'warning',
          blame: from,
          message:
            from === 'server'
              ? `The server asked ${method} before the client sent notifications/initialized`
              : `The client sent ${method} before ${without ? 'initialize' : 'initialize was answered'}`,
          fix:
            from === 'server'
              ? 'Wait for notifications/initialized before asking anything.'
              : 'Send initialize, wait for its result, send notifications/initialized, then all else. 2026-07-28 has no handshake, but then each request carries its version in _meta.',
          evidence: [n],
          revision: session.revision ?? NEWEST_LEGACY,
        });
      },
    };
  },
};

export const initializedMissing: Rule = {
  id: 'initialized-missing',
  title: 'The client never said that it is initialized',
  blame: ['client'],
  severity: ['error'],
  why: 'After the result of initialize the client sends notifications/initialized. Servers may wait for it.',
  page: 'lifecycle#initialization',
  watch: (report, session) => {
    let reported = false;
    let early = false;
    let answer: number | undefined;
    return {
      anew() {
        reported = false;
        early = false;
        answer = undefined;
      },
      notification({ from, method }) {
        if (from === 'client' && method === 'notifications/initialized') early = true;
      },
      response({ request, n }) {
        if (request?.method === 'initialize') answer = n;
      },
      request(request) {
        const { from, method, n } = request;
        if (reported || early || from === 'server' || method === 'ping' || method === 'initialize') return;
        if (session.handshake !== 'answered' || !ofHandshake(request, session.modern)) return;
        reported = true;
        report({
          severity: 'error',
          blame: 'client',
          message: `The client sent ${method} without notifications/initialized before it`,
          fix: 'Send notifications/initialized once initialize was answered.',
          evidence: [...(answer === undefined ? [] : [answer]), n],
        });
      },
    };
  },
};

/** Members that are missing, or have another type. */
function missing(value: Json, members: Readonly<Record<string, (value: unknown) => boolean>>): string[] {
  return Object.entries(members)
    .filter(([name, is]) => !is(value[name]))
    .map(([name]) => name);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
function isImplementation(value: unknown): boolean {
  return isObject(value) && isText(value['name']) && isText(value['version']);
}

export const handshakeShape: Rule = {
  id: 'handshake-shape',
  title: 'The identification of a side is incomplete',
  blame: ['client', 'server'],
  severity: ['error'],
  why: 'Whoever sent it: each side states its protocol version, its capabilities, its name and version.',
  page: 'lifecycle#initialization',
  watch: (report) => ({
    request({ from, method, params, n, meta }) {
      if (from === 'server' || method !== 'initialize' || claimOf(meta) !== undefined) return;
      const lacks = missing(params, { protocolVersion: isText, capabilities: isObject, clientInfo: isImplementation });
      if (lacks.length === 0) return;
      report({
        severity: 'error',
        blame: 'client',
        message: `The client sent initialize without a usable ${listed(lacks)}`,
        fix: 'Send protocolVersion, capabilities (an object, empty if there are none) and clientInfo with name and version.',
        evidence: [n],
      });
    },
    response(response) {
      const result = resultOf(response);
      const { request, n } = response;
      if (result === undefined || request === undefined || request.from === 'server') return;
      const lacks =
        request.method === 'initialize'
          ? missing(result, { protocolVersion: isText, capabilities: isObject, serverInfo: isImplementation })
          : request.method === 'server/discover'
            ? missing(result, { supportedVersions: Array.isArray, capabilities: isObject })
            : [];
      if (lacks.length === 0) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The server answered ${request.method} without a usable ${listed(lacks)}`,
        fix: 'Answer with all of it; capabilities is an object, empty if there are none.',
        evidence: [request.n, n],
        revision: request.revision,
      });
    },
  }),
};

export const versionAnswer: Rule = {
  id: 'version-answer',
  title: 'The server answered initialize with an unknown version, or one without a handshake',
  blame: ['server'],
  severity: ['error', 'warning'],
  why: 'The server chooses: the requested version if it supports it, otherwise another that it supports.',
  page: 'lifecycle#version-negotiation',
  watch: (report) => ({
    response(response) {
      const { request, n } = response;
      const version = resultOf(response)?.['protocolVersion'];
      if (request?.method !== 'initialize' || request.from === 'server' || typeof version !== 'string') return;
      if (isLegacy(version)) return;
      const asked = quoted(request.params['protocolVersion']);
      report({
        severity: isRevision(version) ? 'error' : 'warning',
        blame: 'server',
        message: isRevision(version)
          ? `The server agreed on ${version}, which has no handshake; it was asked for ${asked}`
          : `The server answered with the version ${quoted(version)}, which was never published; requested was ${asked}`,
        fix: 'Answer with the version that was asked for, or with the newest the server has up to 2025-11-25.',
        evidence: [request.n, n],
        revision: NEWEST_LEGACY,
      });
    },
  }),
};
