import { cancelIgnored, cancelUnknown } from './flow/cancellation.ts';
import { flood } from './flow/flood.ts';
import { logLevel, logShape, logUnasked } from './flow/logging.ts';
import { numberPrecision } from './flow/numbers.ts';
import { cursorLoop, cursorUnknown, listDuplicate } from './flow/pagination.ts';
import { progressLate, progressOrder, progressTokenReused, progressUnknown } from './flow/progress.ts';
import { timeout } from './flow/timeout.ts';
import { slowAnswer } from './flow/timing.ts';
import { httpAnswer, httpGet, httpNotification, httpRedirect, httpStatus, wrongPath } from './http/answers.ts';
import { authHttps, authIssuer, authPkce, authRefused, authResource, authServers, httpChallenge } from './http/auth.ts';
import { httpAccept, httpMirror, httpVersionHeader } from './http/headers.ts';
import { streamCut, unreachable } from './http/reach.ts';
import { httpSessionHeader, httpSessionLost } from './http/sessions.ts';
import { clientCapability, notificationCapability, serverCapability } from './life/capabilities.ts';
import { cacheHints, requestMeta, resultType, serverRequest, wrongRevision } from './life/eras.ts';
import { handshakeShape, initializedMissing, initializeFirst, versionAnswer } from './life/handshake.ts';
import { inputRequired, inputRetry } from './life/input.ts';
import { listenAck, listenId, listenUnasked } from './life/listen.ts';
import { exitDuringRequest, exited, processLeft, slowExit, stdinClosedEarly } from './pipe/process.ts';
import { notStarted, stderrOnly } from './pipe/start.ts';
import { answerNoise, inputLost, stdinNoise, stdoutNoise } from './pipe/stdout-noise.ts';
import { elicitAnswer, elicitShape } from './questions/elicitation.ts';
import { rootUri } from './questions/roots.ts';
import { errorCode, errorShape, neverAnswered, responseShape, unknownMethod } from './rpc/answers.ts';
import { batch, idFraction, idNull, notificationAnswered, notJsonRpc } from './rpc/envelope.ts';
import { duplicateResponse, idReused, idTypeChanged, unknownResponse } from './rpc/ids.ts';
import type { Rule } from './rule.ts';
import {
  argumentsAsError,
  argumentsRefused,
  inputSchema,
  listShape,
  unknownToolAnswer,
  unlistedTool,
} from './tools/calls.ts';
import { contentBlock } from './tools/content.ts';
import { base64, bigText, completionSize, readUri } from './tools/data.ts';
import { outputMissing, outputSchema, structuredShape } from './tools/output.ts';
import { WIRE_RULE } from './wire/fits-schema.ts';

/** Rules about one subject. */
export interface RuleGroup {
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** All rules of the diagnosis, by subject, except the one that needs the official schemas, which is added after these. */
export const RULE_GROUPS: readonly RuleGroup[] = [
  {
    title: 'Processes and pipes',
    rules: [
      stdoutNoise,
      stdinNoise,
      answerNoise,
      inputLost,
      notStarted,
      stderrOnly,
      exited,
      exitDuringRequest,
      slowExit,
      stdinClosedEarly,
      processLeft,
    ],
  },
  {
    title: 'JSON-RPC',
    rules: [
      notJsonRpc,
      idNull,
      idFraction,
      idReused,
      idTypeChanged,
      unknownResponse,
      duplicateResponse,
      responseShape,
      errorShape,
      errorCode,
      notificationAnswered,
      batch,
      unknownMethod,
      neverAnswered,
    ],
  },
  {
    title: 'Handshake, capabilities, revisions',
    rules: [
      initializeFirst,
      initializedMissing,
      handshakeShape,
      versionAnswer,
      serverCapability,
      clientCapability,
      notificationCapability,
      wrongRevision,
      serverRequest,
      requestMeta,
      resultType,
      cacheHints,
      listenAck,
      listenUnasked,
      listenId,
      inputRequired,
      inputRetry,
    ],
  },
  {
    title: 'Tools, resources, prompts',
    rules: [
      outputSchema,
      outputMissing,
      structuredShape,
      inputSchema,
      argumentsRefused,
      argumentsAsError,
      unlistedTool,
      unknownToolAnswer,
      listShape,
      contentBlock,
      base64,
      bigText,
      readUri,
      completionSize,
      cursorLoop,
      listDuplicate,
      cursorUnknown,
    ],
  },
  { title: 'Questions of the server', rules: [elicitShape, elicitAnswer, rootUri] },
  {
    title: 'Progress, logs, cancellation, time',
    rules: [
      progressUnknown,
      progressLate,
      progressOrder,
      progressTokenReused,
      logShape,
      logUnasked,
      logLevel,
      cancelUnknown,
      cancelIgnored,
      flood,
      numberPrecision,
      slowAnswer,
      timeout,
    ],
  },
  {
    title: 'HTTP',
    rules: [
      unreachable,
      wrongPath,
      httpAnswer,
      httpNotification,
      httpStatus,
      httpGet,
      httpRedirect,
      streamCut,
      httpAccept,
      httpVersionHeader,
      httpMirror,
      httpSessionHeader,
      httpSessionLost,
    ],
  },
  {
    title: 'Authorization',
    rules: [httpChallenge, authResource, authServers, authIssuer, authPkce, authHttps, authRefused],
  },
];

export const RULES: readonly Rule[] = RULE_GROUPS.flatMap(({ rules }) => rules);

const TITLES: ReadonlyMap<string, string> = new Map([
  ...RULES.map(({ id, title }) => [id, title] as const),
  [WIRE_RULE.id, WIRE_RULE.title],
  ['rule-failed', 'A rule of the inspector failed'],
]);

/** The title of a rule, by its id. */
export function ruleTitle(id: string): string {
  return TITLES.get(id) ?? id;
}
