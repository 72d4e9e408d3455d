import { CODE } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';
import { HEADER, NAME_SOURCES } from '../../wire/headers.ts';
import { repeatedArgument, repeatedStandardMember } from '../../wire/mirrored-members.ts';
import type { HttpCall } from './call.ts';
import type { Check, MirroredCall, Rejection } from './checks.ts';

/** Of two members with the same name, what is in front of the server may act on one and the server on the other. */
function reject(name: string | undefined): Rejection | undefined {
  if (name === undefined) return undefined;
  const message = `The body has the member '${shown(name)}' more than once, and a header repeats it: send it once`;
  return { status: 400, code: CODE.invalidRequest, message };
}

/** What the headers of a message repeat is in its body once. */
export const REPEATED_MEMBERS: Check<HttpCall> = {
  order: '7d',
  name: 'repeated members',
  answers: [[400, CODE.invalidRequest]],
  check({ body, text, request: { header } }, { nameSources = NAME_SOURCES }) {
    if (!('method' in body) || (header(HEADER.method) == null && header(HEADER.name) == null)) return undefined;
    return reject(repeatedStandardMember(text, body.meta, nameSources.get(body.method)));
  },
};

/** The same for arguments that headers repeat. */
export const REPEATED_ARGUMENTS: Check<MirroredCall> = {
  order: '15m',
  name: 'repeated arguments',
  answers: [[400, CODE.invalidRequest]],
  check: ({ text, mirrored }) => reject(repeatedArgument(text, mirrored)),
};
