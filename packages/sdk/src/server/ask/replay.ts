import { ProtocolError, CODE, ToolError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { AskLedger } from './ask-ledger.ts';
import { type CallState, Pause, type ReplayAsker } from './asker.ts';
import { type ValidateAnswer, MAX_ATTEMPTS, type Question, withReason } from './question.ts';
import { OnceAction, type OnceOutcome } from './once-outcome.ts';
import { type Records, runRecorded } from './once-records.ts';

/**
 * For eras in which servers may not send requests: answers come with the retry, and the handler runs again from the top. `responses` are
 * the client's answers. In a retry only answers to questions that were asked count; in the first run a client may know in advance what will
 * be asked.
 */
export function createReplayAsker(
  state: CallState | undefined,
  callId: () => string,
  responses: JsonObject | undefined,
  records: Records,
): ReplayAsker {
  const ledger = new AskLedger(state?.asked);
  const answers = new Map(state?.answers);
  const done = new Map<string, OnceOutcome>(state?.done);
  const attempts = new Map(state?.open);
  const open = new Map<string, Question>();

  const pause = (question: Question, attempt: number): never => {
    open.set(question.name, question);
    attempts.set(question.name, attempt);
    throw new Pause(
      `The call pauses at the question '${question.name}' until the client answers. This is not a failure: ` +
        'a catch block around ctx.ask, elicit, visit, sample or roots must rethrow errors that are not its own.',
    );
  };

  const answer = async <T>(question: Question, validate: ValidateAnswer<T>): Promise<T> => {
    const { name } = question;
    const known = answers.get(name);
    const response = known ?? responseTo(name, state === undefined || attempts.has(name) ? responses : undefined);
    const attempt = attempts.get(name) ?? 1;
    if (response === undefined) return pause(question, attempt);
    const validated = await validate(response);
    if ('value' in validated) {
      answers.set(name, response);
      attempts.delete(name);
      return validated.value;
    }
    if (attempt >= MAX_ATTEMPTS)
      throw new ToolError(`No usable answer to '${name}' after ${MAX_ATTEMPTS} attempts: ${validated.retryReason}`);
    return pause(withReason(question, validated.retryReason), attempt + 1);
  };

  return {
    open,
    answer: (question, validate) => ledger.question(question, () => answer(question, validate)),
    once: (name, action) =>
      ledger.once(name, async () => {
        const once = new OnceAction(name, action);
        let outcome = done.get(name);
        if (outcome === undefined) {
          const run = (): Promise<OnceOutcome> => once.run();
          // No other process knows the id of a first run, so that run cannot be delivered twice.
          outcome = state === undefined ? await run() : await runRecorded(records, `once:${callId()}:${name}`, run);
          done.set(name, outcome);
        }
        return once.resultOf(outcome);
      }),
    settled: () => ledger.settled(),
    state: () => ({
      callId: callId(),
      answers: [...answers],
      done: [...done],
      asked: ledger.asked,
      open: [...open.keys()].map((name) => [name, attempts.get(name)!] as const),
    }),
  };
}

function responseTo(name: string, responses: JsonObject | undefined): JsonObject | undefined {
  if (responses === undefined || !Object.hasOwn(responses, name)) return undefined;
  const response = responses[name];
  if (!isObject(response)) throw new ProtocolError(CODE.invalidParams, `The response to '${name}' must be an object`);
  return response;
}
